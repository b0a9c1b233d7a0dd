/** The memories and past sessions injected in a session, with reasons; or why there were none. */
import type { SessionDetail } from '../../src/http/index.ts';
import { to } from '../route.ts';
import { clock } from '../time.ts';
import { counted } from '../words.ts';
import { Kind } from './kind.tsx';
import { Text } from './text.tsx';
import { WHERE } from './where.ts';

type Moment = SessionDetail['moments'][number];

export function Moments({ moments }: { readonly moments: readonly Moment[] }) {
  return (
    <section aria-labelledby="injected">
      <h2 id="injected">Memories injected, and why</h2>
      {moments.length === 0 ? (
        <p class="soft">No memories were injected in this session.</p>
      ) : (
        <ol class="rows moments">
          {grouped(moments).map((group, i) => (
            <One key={i} moment={group[0]} times={group.length} />
          ))}
        </ol>
      )}
    </section>
  );
}

/** Joins neighbours that say the same: nothing was injected, for the same reason. */
function grouped(moments: readonly Moment[]): readonly (readonly [Moment, ...Moment[]])[] {
  const groups: [Moment, ...Moment[]][] = [];
  for (const moment of moments) {
    const [last] = groups.at(-1) ?? [];
    if (last && isEmpty(last) && isEmpty(moment) && isAlike(last, moment)) groups.at(-1)?.push(moment);
    else groups.push([moment]);
  }
  return groups;
}

function isEmpty({ memories, conversation }: Moment): boolean {
  return memories.length === 0 && conversation === undefined;
}

function isAlike(one: Moment, other: Moment): boolean {
  return one.where === other.where && one.reason === other.reason;
}

function One({ moment, times }: { readonly moment: Moment; readonly times: number }) {
  const { at, where, prompt, memories, conversation } = moment;
  return (
    <li class="row session">
      <time dateTime={at}>{clock(at)}</time>
      <div class="row-text">
        <p>
          <b>{capital(WHERE[where])}</b>{' '}
          <span class="soft">
            {outcomeOf(moment)}
            {times > 1 && `, ${times} times in a row`}
          </span>
        </p>
        {prompt && times === 1 && (
          <p class="soft">
            “<Text text={prompt} />”
          </p>
        )}
        {conversation && (
          <p>
            <a href={to.session(conversation.session)}>The end of an earlier session</a>{' '}
            <span class="soft">
              <Text text={conversation.why} />
            </span>
          </p>
        )}
        <ul class="injected">
          {memories.map(({ id, memory, reasons, opened }) => (
            <li key={id}>
              {memory && <Kind kind={memory.kind} />}
              <div>
                {memory ? (
                  <a href={to.memory(id)}>
                    <Text text={memory.title} />
                  </a>
                ) : (
                  <span class="soft">forgotten</span>
                )}{' '}
                {opened && <span class="badge used">opened</span>}
                {reasons.length > 0 && (
                  <p class="soft">
                    <Text text={reasons.join(' · ')} />
                  </p>
                )}
              </div>
            </li>
          ))}
        </ul>
      </div>
    </li>
  );
}

/** How many of the considered memories were injected, or why nothing was. A brief has no candidates to count. */
function outcomeOf({ where, memories, conversation, considered, reason }: Moment): string {
  if (memories.length === 0) return conversation ? '' : (reason ?? 'nothing was relevant');
  return where === 'brief'
    ? counted(memories.length, 'memory', 'memories')
    : `${memories.length} of ${considered} considered`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
