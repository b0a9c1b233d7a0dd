/** A modal dialog. The browser keeps the focus inside; closing gives it back. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export function Dialog(props: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const self = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => {
    const before = document.activeElement;
    self.current?.showModal();
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
