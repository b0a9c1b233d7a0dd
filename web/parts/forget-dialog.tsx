/** Confirms that a memory is forgotten for the whole team, which cannot be undone. */
import { useState } from 'preact/hooks';
import { ask, asApiError, type ApiError } from '../api.ts';
import { go, to } from '../route.ts';
import { Dialog, DialogButtons } from './dialog.tsx';
import type { ActionProps } from './edit-dialog.tsx';
import { Problem } from './field.tsx';
import { Text } from './text.tsx';

export function ForgetDialog({ detail, onClose, onDone }: ActionProps) {
  const { memory, revision } = detail;
  const [error, setError] = useState<ApiError>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const isItsPage = location.pathname === to.memory(memory.id);
    ask('POST /memories/:id/forget', { id: memory.id, body: { revision } }).then(
      () => {
        if (isItsPage) go(to.project(memory.project));
        onDone('Forgotten on every machine of the team.');
      },
      (failure: unknown) => setError(asApiError(failure)),
    );
  };
  return (
    <Dialog title="Forget this memory for the whole team?" onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          <b>
            <Text text={memory.title} />
          </b>
        </p>
        <p>
          It is erased here and on every machine of the team. This cannot be undone. If it is only out of
          date, replace it instead: then its history stays visible.
        </p>
        {error && <Problem error={error} />}
        <DialogButtons submit="Forget" disabled={false} />
      </form>
    </Dialog>
  );
}
