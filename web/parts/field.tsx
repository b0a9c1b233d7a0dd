/** A labelled field, and the error below it. */
import { useId } from 'preact/hooks';
import type { ApiError } from '../api.ts';
import { withCode } from './notice.tsx';

export function Field(props: {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** More than one line. */
  readonly rows?: number;
  readonly required?: boolean;
  /** Gets the focus when the dialog opens. */
  readonly isFirst?: boolean;
  readonly isDate?: boolean;
}) {
  const { label, value, rows, required = false, isFirst = false, isDate = false } = props;
  const id = useId();
  const shared = { id, class: 'input', value, required, autofocus: isFirst };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input
          {...shared}
          {...(isDate ? { type: 'date' } : { type: 'text' })}
          onInput={(event) => props.onInput(event.currentTarget.value)}
        />
      ) : (
        <textarea {...shared} rows={rows} onInput={(event) => props.onInput(event.currentTarget.value)} />
      )}
    </div>
  );
}

export function Problem({ error, id }: { readonly error: ApiError; readonly id?: string }) {
  return (
    <p class="field-error" role="alert" id={id}>
      {error.message} {error.hint && withCode(error.hint)}
    </p>
  );
}
