/** Dialogs that move, replace or forget a memory. */
import { useState } from 'preact/hooks';
import { ask } from '../api.ts';
import { go, to } from '../route.ts';
import { isOld, useAnswer } from '../use-answer.ts';
import { FormDialog } from './dialog.tsx';
import type { ActionProps } from './edit-dialog.tsx';
import { Field } from './field.tsx';
import { Kind } from './kind.tsx';
import { Shown } from './notice.tsx';
import { Text } from './text.tsx';

/** The project of memories that apply everywhere, as in src/core. */
const PERSONAL_PROJECT = 'personal';

/** How many memories the search for a replacement shows. */
const SHOWN = 8;

export function MoveDialog({ detail: { memory, revision }, onClose, onDone }: ActionProps) {
  const projects = useAnswer('GET /projects');
  const [project, setProject] = useState('');
  const move = async () => {
    await ask('POST /memories/:id/move', { id: memory.id, body: { project, revision } });
    onDone('Moved.');
  };
  return (
    <FormDialog
      title="Move to another project"
      submit="Move"
      disabled={project === ''}
      onSubmit={move}
      onClose={onClose}
    >
      <Shown answer={projects}>
        {(all) => {
          const others = all.filter(({ id }) => id !== memory.project && id !== PERSONAL_PROJECT);
          return (
            <label class="field">
              <span class="label">Project</span>
              <select
                class="input"
                required
                value={project}
                onChange={(event) => setProject(event.currentTarget.value)}
              >
                <option value="">Choose a project</option>
                {memory.project !== PERSONAL_PROJECT && (
                  <option value={PERSONAL_PROJECT}>Every project and every agent</option>
                )}
                {others.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
          );
        }}
      </Shown>
    </FormDialog>
  );
}

/** Chooses the memory that replaces this one, by search. */
export function SupersedeDialog({ detail: { memory, revision }, onClose, onDone }: ActionProps) {
  const [words, setWords] = useState(memory.title);
  const [by, setBy] = useState('');
  const found = useAnswer(
    'GET /search',
    words.trim() === '' ? null : { query: { q: words, project: memory.project, limit: `${SHOWN + 1}` } },
    { keep: true },
  );
  const others =
    found.kind === 'there'
      ? found.value.hits.map((hit) => hit.memory).filter(({ id }) => id !== memory.id)
      : [];
  const replace = async () => {
    await ask('POST /memories/:id/supersede', { id: memory.id, body: { by, revision } });
    onDone('Replaced. The old memory stays, marked as superseded.');
  };
  return (
    <FormDialog
      title="Which memory replaces this one?"
      submit="Replace"
      disabled={by === ''}
      onSubmit={replace}
      onClose={onClose}
    >
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
            <Kind kind={other.kind} />
            <span>
              <Text text={other.title} />
            </span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}

/** Confirms that a memory is forgotten for the whole team, which cannot be undone. */
export function ForgetDialog({ detail: { memory, revision }, onClose, onDone }: ActionProps) {
  const forget = async () => {
    const isItsPage = location.pathname === to.memory(memory.id);
    await ask('POST /memories/:id/forget', { id: memory.id, body: { revision } });
    if (isItsPage) go(to.project(memory.project));
    onDone('Forgotten on every machine of the team.');
  };
  return (
    <FormDialog
      title="Forget this memory for the whole team?"
      submit="Forget"
      onSubmit={forget}
      onClose={onClose}
    >
      <p>
        <b>
          <Text text={memory.title} />
        </b>
      </p>
      <p>
        It is erased here and on every machine of the team. This cannot be undone. If it is only out of date,
        replace it instead: then its history stays visible.
      </p>
    </FormDialog>
  );
}
