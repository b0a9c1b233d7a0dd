/** A memory in a list: when, what kind, what, and a look inside. */
import type { Memory } from '../../src/model/index.ts';
import { to } from '../route.ts';
import { clock } from '../time.ts';
import { Highlighted } from './highlighted.tsx';
import { KindMark, StateBadge } from './kind.tsx';

export interface MemoryRowProps {
  readonly memory: Memory;
  /** Shown where memories of several projects stand together. */
  readonly project?: string | undefined;
  /** In place of the time of day, where days do not stand above. */
  readonly when?: string;
  readonly words?: readonly string[];
}

export function MemoryRow({ memory, project, when, words = [] }: MemoryRowProps) {
  const { kind, title, body, reason, state } = memory;
  const more = body && body !== title ? body : (reason ?? '');
  return (
    <li class={`row ${state}`}>
      <time dateTime={memory.at}>{when ?? clock(memory.at)}</time>
      <KindMark kind={kind} />
      <div class="row-text">
        <a href={to.memory(memory.id)} data-row>
          <Highlighted text={title} words={words} />
        </a>
        <StateBadge state={state} />
        {more && (
          <p>
            <Highlighted text={more} words={words} />
          </p>
        )}
      </div>
      {project !== undefined && <span class="row-project">{project}</span>}
    </li>
  );
}
