/** A modal dialog. The browser keeps the focus inside; closing gives it back. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { asApiError, type ApiError } from '../api.ts';
import { Problem } from './field.tsx';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog(props: DialogProps) {
  const self = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => {
    const before = document.activeElement;
    self.current?.showModal();
    // The focus goes to the first control, which can be at the end of a long text.
    self.current?.scrollTo(0, 0);
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={self}
      aria-labelledby={title}
      onClose={props.onClose}
      onClick={(event) => {
        if (event.target === self.current) self.current?.close();
      }}
    >
      <h2 id={title}>{props.title}</h2>
      {props.children}
    </dialog>
  );
}

/** A dialog with one form. Shows the error when `onSubmit` fails. */
export function FormDialog(
  props: DialogProps & {
    readonly submit: string;
    readonly disabled?: boolean;
    readonly onSubmit: () => Promise<void>;
  },
) {
  const { submit, disabled = false, onSubmit, children, ...dialog } = props;
  const [error, setError] = useState<ApiError>();
  const submitted = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit().catch((failure: unknown) => setError(asApiError(failure)));
  };
  return (
    <Dialog {...dialog}>
      <form onSubmit={submitted}>
        {children}
        {error && <Problem error={error} />}
        <DialogButtons submit={submit} disabled={disabled} />
      </form>
    </Dialog>
  );
}

/** Cancel and submit buttons of a form in a dialog. */
export function DialogButtons(props: { readonly submit: string; readonly disabled: boolean }) {
  return (
    <div class="buttons">
      <button
        type="button"
        class="button"
        onClick={(event) => event.currentTarget.closest('dialog')?.close()}
      >
        Cancel
      </button>
      <button type="submit" class="button main" disabled={props.disabled}>
        {props.submit}
      </button>
    </div>
  );
}
