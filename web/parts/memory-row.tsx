/** A memory in a list: when, what kind, what, and a look inside. */
import type { ComponentChildren } from 'preact';
import type { Memory } from '../../src/core/index.ts';
import { to } from '../route.ts';
import { clock } from '../time.ts';
import { KindMark, StateBadge } from './kind.tsx';
import { Text } from './text.tsx';

export interface MemoryRowProps {
  readonly memory: Memory;
  /** Shown where memories of several projects stand together. */
  readonly project?: string | undefined;
  /** In place of the time of day, where days do not stand above. */
  readonly when?: string;
  /** What was searched for; it is more likely to stand in the body than in the reason. */
  readonly words?: readonly string[];
  readonly children?: ComponentChildren;
}

export function MemoryRow({ memory, project, when, words, children }: MemoryRowProps) {
  const { id, kind, title, body, reason, state } = memory;
  return (
    <div class={`row ${state}`} data-testid="memory-row">
      <time dateTime={memory.at}>{when ?? clock(memory.at)}</time>
      <KindMark kind={kind} />
      <div class="row-text">
        <a href={to.memory(id)} data-row data-memory={id}>
          <Text text={title} words={words ?? []} />
        </a>{' '}
        {memory.author !== undefined && <span class="soft small">(by {memory.author}) </span>}
        <StateBadge state={state} />
        {reason !== undefined && !words ? (
          <p>
            <span class="why">Why:</span> <Text text={reason} />
          </p>
        ) : (
          saysMore(title, body) && (
            <p>
              <Text text={body} words={words ?? []} />
            </p>
          )
        )}
        {children}
      </div>
      {project !== undefined && <span class="row-project">{project}</span>}
    </div>
  );
}

/** A body that is the title with a full stop, or an "and" before it, need not be read twice. */
export function saysMore(title: string, body: string): boolean {
  const bare = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  return !bare(title).includes(bare(body).replace(/^(?:and|so|ok|please|also) /, ''));
}
