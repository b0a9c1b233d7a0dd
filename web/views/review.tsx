/** New memories that wait for the user's approval. */
import { useState } from 'preact/hooks';
import type { ReviewRequest, Waiting } from '../../src/http/index.ts';
import { ask, asApiError } from '../api.ts';
import { changes, memoriesChanged, waiting } from '../live.ts';
import { Dialog } from '../parts/dialog.tsx';
import { EditForm } from '../parts/edit-dialog.tsx';
import { Kind } from '../parts/kind.tsx';
import { Notice, Shown } from '../parts/notice.tsx';
import { LongText, Text } from '../parts/text.tsx';
import { showToast } from '../parts/toasts.tsx';
import { useTitle } from '../parts/use-title.ts';
import { to } from '../route.ts';
import { ago } from '../time.ts';
import { useAnswer } from '../use-answer.ts';

export function Review() {
  useTitle('Review');
  const answer = useAnswer('GET /review', {}, { again: changes.use() });
  const [editing, setEditing] = useState<Waiting>();
  return (
    <>
      <h1>Review</h1>
      <p class="lead">
        If you choose to review new memories (in the <a href={to.view('/settings')}>settings</a>), they wait
        here until you keep or drop them.
      </p>
      <Shown answer={answer}>
        {(all) =>
          all.length === 0 ? (
            <Notice title="Nothing to review" />
          ) : (
            <ul class="rows reviews">
              {all.map((one) => (
                <One key={one.memory.id} one={one} onEdit={() => setEditing(one)} />
              ))}
            </ul>
          )
        }
      </Shown>
      {editing && (
        <Dialog title="Edit and keep" onClose={() => setEditing(undefined)}>
          <EditForm
            memory={editing.memory}
            revision=""
            onSave={async (patch) => {
              await decide(editing, { verdict: 'edit', patch });
              setEditing(undefined);
            }}
          />
        </Dialog>
      )}
    </>
  );
}

function One({ one, onEdit }: { readonly one: Waiting; readonly onEdit: () => void }) {
  const { memory, projectName } = one;
  const [isBusy, setBusy] = useState(false);
  const settle = (request: ReviewRequest) => {
    setBusy(true);
    decide(one, request).catch((error: unknown) => {
      setBusy(false);
      showToast(asApiError(error).message);
    });
  };
  return (
    <li class="review">
      <p class="kind-line">
        <Kind kind={memory.kind} />
        <span class="soft">
          {projectName}, {ago(memory.at, new Date())}
        </span>
      </p>
      <h2>
        <Text text={memory.title} />
      </h2>
      <p class="body">
        <LongText text={memory.body} />
      </p>
      {memory.reason && (
        <p>
          <span class="why">Why:</span> <Text text={memory.reason} />
        </p>
      )}
      <div class="buttons">
        <button
          type="button"
          class="button main"
          disabled={isBusy}
          onClick={() => settle({ verdict: 'keep' })}
        >
          Keep<span class="unseen">: {memory.title}</span>
        </button>
        <button type="button" class="button" disabled={isBusy} onClick={onEdit}>
          Edit<span class="unseen">: {memory.title}</span>
        </button>
        <button
          type="button"
          class="button danger"
          disabled={isBusy}
          onClick={() => settle({ verdict: 'drop' })}
        >
          Drop<span class="unseen">: {memory.title}</span>
        </button>
      </div>
    </li>
  );
}

async function decide({ memory }: Waiting, body: ReviewRequest): Promise<void> {
  const left = await ask('POST /review/:id', { id: memory.id, body });
  waiting.set(() => left.length);
  memoriesChanged();
  showToast(body.verdict === 'drop' ? 'Dropped.' : 'Kept.');
}
