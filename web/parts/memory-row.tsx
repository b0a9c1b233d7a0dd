/** A memory in a list: time, kind, title and a preview. */
import type { ComponentChildren } from 'preact';
import type { Memory } from '../../src/core/index.ts';
import { evidenceOf, evidenceWords } from '../../src/core/words/index.ts';
import { to } from '../route.ts';
import { clock } from '../time.ts';
import { Kind, StateBadge } from './kind.tsx';
import { Text } from './text.tsx';

interface MemoryRowProps {
  readonly memory: Memory;
  /** Shown in lists with several projects. */
  readonly project?: string | undefined;
  /** The name of its agent, where there are several. */
  readonly agent?: string | undefined;
  /** Replaces the time of day in lists that are not grouped by day. */
  readonly when?: string;
  /** Words to highlight. With words the body is shown instead of the reason, because it matches more often. */
  readonly words?: readonly string[];
  readonly children?: ComponentChildren;
}

export function MemoryRow({ memory, project, agent, when, words, children }: MemoryRowProps) {
  const { id, kind, title, body, reason, state } = memory;
  return (
    <div class={`row ${state}`} data-testid="memory-row">
      <time dateTime={memory.at}>{when ?? clock(memory.at)}</time>
      <Kind kind={kind} />
      <div class="row-text">
        <a href={to.memory(id)} data-row data-memory={id}>
          <Text text={title} words={words ?? []} />
        </a>{' '}
        <StateBadge state={state} />{' '}
        <span class="soft small said-by">
          {[originOf(memory), agent].filter((part) => part !== undefined).join(' · ')}
        </span>
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

/** `said by you`, `(by Ada)`, `(by Ada) claimed by the agent` */
function originOf(memory: Memory): string {
  const { author } = memory;
  if (author === undefined) return evidenceWords(memory);
  return evidenceOf(memory) === 'said' ? `(by ${author})` : `(by ${author}) ${evidenceWords(memory)}`;
}

/** Whether the body says more than the title, apart from punctuation and a leading "and". */
export function saysMore(title: string, body: string): boolean {
  const bare = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  return !bare(title).includes(bare(body).replace(/^(?:and|so|ok|please|also) /, ''));
}
