/** Moves a memory to another project. */
import { useState } from 'preact/hooks';
import { ask, asApiError, type ApiError } from '../api.ts';
import { useAnswer } from '../use-answer.ts';
import { Dialog, DialogButtons } from './dialog.tsx';
import type { ActionProps } from './edit-dialog.tsx';
import { Problem } from './field.tsx';
import { Shown } from './notice.tsx';

export function MoveDialog({ detail, onClose, onDone }: ActionProps) {
  const { memory, revision } = detail;
  const projects = useAnswer('GET /projects');
  const [wanted, setWanted] = useState('');
  const [error, setError] = useState<ApiError>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    ask('POST /memories/:id/move', { id: memory.id, body: { project: wanted, revision } }).then(
      () => onDone('Moved.'),
      (failure: unknown) => setError(asApiError(failure)),
    );
  };
  return (
    <Dialog title="Move to another project" onClose={onClose}>
      <Shown answer={projects}>
        {(all) => {
          const others = all.filter(({ id }) => id !== memory.project);
          return (
            <form onSubmit={submit}>
              <label class="field">
                <span class="label">Project</span>
                <select
                  class="input"
                  required
                  value={wanted}
                  onChange={(event) => setWanted(event.currentTarget.value)}
                >
                  <option value="">{others.length === 0 ? 'No other project' : 'Choose a project'}</option>
                  {others.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
              {error && <Problem error={error} />}
              <DialogButtons submit="Move" disabled={wanted === ''} />
            </form>
          );
        }}
      </Shown>
    </Dialog>
  );
}
