/** Chooses the memory that replaces this one, by search. */
import { useState } from 'preact/hooks';
import { ask, asApiError, type ApiError } from '../api.ts';
import { isOld, useAnswer } from '../use-answer.ts';
import { Dialog, DialogButtons } from './dialog.tsx';
import type { ActionProps } from './edit-dialog.tsx';
import { Field, Problem } from './field.tsx';
import { KindMark } from './kind.tsx';
import { Text } from './text.tsx';

const SHOWN = 8;

export function SupersedeDialog({ detail, onClose, onDone }: ActionProps) {
  const { memory, revision } = detail;
  const [words, setWords] = useState(memory.title);
  const [by, setBy] = useState('');
  const [error, setError] = useState<ApiError>();
  const found = useAnswer(
    'GET /search',
    words.trim() === '' ? null : { query: { q: words, project: memory.project, limit: `${SHOWN + 1}` } },
    { keep: true },
  );
  const others =
    found.kind === 'there'
      ? found.value.hits.map((hit) => hit.memory).filter(({ id }) => id !== memory.id)
      : [];
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    ask('POST /memories/:id/supersede', { id: memory.id, body: { by, revision } }).then(
      () => onDone('Replaced. The old memory stays, marked as superseded.'),
      (failure: unknown) => setError(asApiError(failure)),
    );
  };
  return (
    <Dialog title="Which memory replaces this one?" onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="Search" value={words} onInput={setWords} />
        <fieldset class="choices" aria-busy={isOld(found)}>
          <legend class="unseen">Replacement</legend>
          {others.length === 0 && <p class="soft">No memories found. Try other words.</p>}
          {others.slice(0, SHOWN).map((other) => (
            <label key={other.id} class="choice">
              <input
                type="radio"
                name="by"
                value={other.id}
                checked={by === other.id}
                onChange={() => setBy(other.id)}
              />
              <KindMark kind={other.kind} />
              <span>
                <Text text={other.title} />
              </span>
            </label>
          ))}
        </fieldset>
        {error && <Problem error={error} />}
        <DialogButtons submit="Replace" disabled={by === ''} />
      </form>
    </Dialog>
  );
}
