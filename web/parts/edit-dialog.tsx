/** Edits the text of a memory. A change that was made in the meantime is shown, not overwritten. */
import { useState } from 'preact/hooks';
import type { Memory, MemoryKind } from '../../src/core/index.ts';
import type { EditRequest, MemoryDetail } from '../../src/http/index.ts';
import { ask, asApiError, type ApiError } from '../api.ts';
import { isTeam } from '../here.ts';
import { Dialog, DialogButtons } from './dialog.tsx';
import { Field, Problem } from './field.tsx';
import { ALL_KINDS, kindName } from './kind.tsx';

type MemoryPatch = EditRequest['patch'];

interface Draft {
  readonly kind: MemoryKind;
  readonly title: string;
  readonly body: string;
  readonly reason: string;
  readonly facts: string;
  readonly concepts: string;
  readonly files: string;
}

export interface ActionProps {
  readonly detail: MemoryDetail;
  readonly onClose: () => void;
  readonly onDone: (message: string) => void;
}

export function EditDialog({ detail, onClose, onDone }: ActionProps) {
  const { memory } = detail;
  const save = async (patch: MemoryPatch, revision: string) => {
    await ask('POST /memories/:id/edit', { id: memory.id, body: { patch, revision } });
    onDone(isTeam() ? 'Saved. Every machine of the team will receive it.' : 'Saved in the journal.');
  };
  return (
    <Dialog title="Edit memory" onClose={onClose}>
      <EditForm memory={memory} revision={detail.revision} onSave={save} />
    </Dialog>
  );
}

export function EditForm(props: {
  readonly memory: Memory;
  readonly revision: string;
  readonly onSave: (patch: MemoryPatch, revision: string) => Promise<void>;
}) {
  const [draft, setDraft] = useState(() => draftOf(props.memory));
  const [base, setBase] = useState({ memory: props.memory, revision: props.revision });
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const present = error?.present;
  const field = (name: keyof Draft) => ({
    value: draft[name],
    onInput: (value: string) => setDraft({ ...draft, [name]: value }),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    props.onSave(patchOf(base.memory, draft), base.revision).catch((failure: unknown) => {
      setBusy(false);
      setError(asApiError(failure));
    });
  };
  return (
    <form onSubmit={submit}>
      <label class="field">
        <span class="label">Kind</span>
        <select
          class="input"
          value={draft.kind}
          onChange={(event) => setDraft({ ...draft, kind: event.currentTarget.value as MemoryKind })}
        >
          {ALL_KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {kindName(kind)}
            </option>
          ))}
        </select>
      </label>
      <Field label="Title" required isFirst {...field('title')} />
      <Field label="Text" rows={4} {...field('body')} />
      <Field label="Why" rows={2} {...field('reason')} />
      <Field label="Facts, one per line" rows={3} {...field('facts')} />
      <Field label="Files, one per line" rows={2} {...field('files')} />
      <Field label="Search phrases, separated by commas" {...field('concepts')} />
      {present ? (
        <Conflict
          onTheirs={() => {
            setDraft(draftOf(present.memory));
            setBase(present);
            setError(undefined);
          }}
          onMine={() => {
            setBase({ ...base, revision: present.revision });
            setError(undefined);
          }}
        />
      ) : (
        error && <Problem error={error} />
      )}
      <DialogButtons submit="Save" disabled={isBusy || present !== undefined} />
    </form>
  );
}

function Conflict({ onTheirs, onMine }: { readonly onTheirs: () => void; readonly onMine: () => void }) {
  return (
    <div class="field-error" role="alert">
      <p>
        This memory was changed in the meantime,{' '}
        {isTeam() ? 'by another member' : 'in an editor or by an agent'}.
      </p>
      <p class="buttons">
        <button type="button" class="button" onClick={onTheirs}>
          Use the current text
        </button>
        <button type="button" class="button" onClick={onMine}>
          Continue with mine
        </button>
      </p>
    </div>
  );
}

function draftOf(memory: Memory): Draft {
  const { kind, title, body, reason = '', facts, concepts, files } = memory;
  return {
    kind,
    title,
    body,
    reason,
    facts: facts.join('\n'),
    concepts: concepts.join(', '),
    files: files.join('\n'),
  };
}

/** Sends only the changed fields: others may have changed in the meantime. */
function patchOf(memory: Memory, draft: Draft): MemoryPatch {
  const before = draftOf(memory);
  const changed = (name: keyof Draft) => draft[name].trim() !== before[name].trim();
  const list = (text: string, by: RegExp) =>
    text
      .split(by)
      .map((item) => item.trim())
      .filter((item) => item !== '');
  return {
    ...(changed('kind') ? { kind: draft.kind } : {}),
    ...(changed('title') ? { title: draft.title.trim() } : {}),
    ...(changed('body') ? { body: draft.body.trim() } : {}),
    ...(changed('reason') ? { reason: draft.reason.trim() } : {}),
    ...(changed('facts') ? { facts: list(draft.facts, /\n/) } : {}),
    ...(changed('concepts') ? { concepts: list(draft.concepts, /,/) } : {}),
    ...(changed('files') ? { files: list(draft.files, /\n/) } : {}),
  };
}
