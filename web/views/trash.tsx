/** Forgotten memories that can still be restored, each with the time left. */
import type { Trashed } from '../../src/http/index.ts';
import { changes } from '../live.ts';
import { restoreById } from '../parts/actions.tsx';
import { Icon } from '../parts/icon.tsx';
import { Kind } from '../parts/kind.tsx';
import { saysMore } from '../parts/memory-row.tsx';
import { Notice, Shown } from '../parts/notice.tsx';
import { Text } from '../parts/text.tsx';
import { useTitle } from '../parts/use-title.ts';
import { timeLeft, since } from '../time.ts';
import { useAnswer } from '../use-answer.ts';
import { counted } from '../words.ts';

export function Trash() {
  useTitle('Trash');
  const trash = useAnswer('GET /trash', {}, { again: changes.use() });
  return (
    <>
      <h1>Trash</h1>
      <p class="lead">
        Forgotten memories. Agents no longer see them. After 24 hours they are erased for good, with the
        conversation they came from.
      </p>
      <Shown answer={trash}>
        {({ memories, total }) =>
          total === 0 ? (
            <Notice title="The trash is empty">
              <p>
                A memory that you forget (with <kbd>x</kbd>, or <code>tidemark forget</code>) stays here for
                24 hours, so that you can restore it.
              </p>
            </Notice>
          ) : (
            <>
              <ul class="rows trash" data-testid="trash">
                {memories.map((one) => (
                  <Row key={one.memory.id} one={one} />
                ))}
              </ul>
              {total > memories.length && (
                <p class="soft trash-more">
                  The newest {memories.length} of {counted(total, 'memory', 'memories')}. See all of them with{' '}
                  <code>tidemark forget --list</code>
                </p>
              )}
            </>
          )
        }
      </Shown>
    </>
  );
}

function Row({ one: { memory, projectName, forgottenAt, erasedAt } }: { readonly one: Trashed }) {
  const { id, kind, title, body } = memory;
  const now = new Date();
  return (
    <li class="row">
      <time dateTime={forgottenAt}>{since(forgottenAt, now)} ago</time>
      <Kind kind={kind} />
      <div class="row-text">
        <b>
          <Text text={title} />
        </b>
        {saysMore(title, body) && (
          <p>
            <Text text={body} />
          </p>
        )}
        <p class="small soft">
          {projectName} · erased in {timeLeft(erasedAt, now)}
        </p>
      </div>
      <button type="button" class="button" data-row onClick={() => void restoreById(id)}>
        <Icon name="recall" /> Restore<span class="unseen">: {title}</span>
      </button>
    </li>
  );
}
