/** A memory that was injected today, with the sessions that got it. */
import type { UsedMemory } from '../../src/http/index.ts';
import { to } from '../route.ts';
import { clock } from '../time.ts';
import { counted } from '../words.ts';
import { Kind } from './kind.tsx';
import { sessionName } from './session-name.ts';
import { Text } from './text.tsx';
import { WHERE } from './where.ts';

export function UseRow({ use }: { readonly use: UsedMemory }) {
  const { memory, at, where, sessions, sessionCount, isOpened } = use;
  const more = sessionCount - sessions.length;
  return (
    <li class="item" data-testid="use">
      <Kind kind={memory.kind} />
      <div class="item-text">
        <a href={to.memory(memory.id)} data-row data-memory={memory.id}>
          <Text text={memory.title} />
        </a>{' '}
        {isOpened && <span class="badge used">opened by the agent</span>}
        <p>
          Injected {WHERE[where]}
          {sessions.map((session, i) => (
            <span key={session.id}>
              {i === 0 ? ': ' : ', '}
              <a href={to.session(session.id)}>
                <Text text={sessionName(session)} />
              </a>
            </span>
          ))}
          {more > 0 && ` and ${counted(more, 'more session')}`}
        </p>
      </div>
      <time dateTime={at}>{clock(at)}</time>
    </li>
  );
}
