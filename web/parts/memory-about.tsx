/** Facts about a memory: origin, replacements, files, injections, memories before and after. */
import { evidenceWords, shortId, sourceWords } from '../../src/core/words/index.ts';
import type { FileState, MemoryDetail, MemoryRef } from '../../src/http/index.ts';
import { withFilter } from '../filters.ts';
import { agentTitle } from '../here.ts';
import { to } from '../route.ts';
import { ago, dateAndTime } from '../time.ts';
import { counted, percent } from '../words.ts';
import { Kind, StateBadge } from './kind.tsx';
import { Text } from './text.tsx';
import { sessionName } from './session-name.ts';
import { WHERE } from './where.ts';

type Origin = NonNullable<MemoryDetail['origin']>;

const FILE_STATES: Readonly<Record<FileState['state'], string | undefined>> = {
  same: 'unchanged',
  changed: 'changed',
  gone: 'deleted',
  unknown: undefined,
};
const RECALLS_SHOWN = 8;

export function About({ detail }: { readonly detail: MemoryDetail }) {
  const { memory, journal, line, tokens, session, projectName } = detail;
  return (
    <section class="panel about">
      <h2>About this memory</h2>
      <dl>
        <dt>Project</dt>
        <dd>
          <a href={to.project(memory.project)}>{projectName}</a>
        </dd>
        <dt>When</dt>
        <dd>
          <time dateTime={memory.at}>{dateAndTime(memory.at)}</time>
        </dd>
        {memory.author !== undefined && <Fact name="By" value={memory.author} />}
        {memory.branch && <Fact name="Branch" value={memory.branch} />}
        {session && (
          <>
            <dt>Session</dt>
            <dd>
              <a href={to.session(session.id)}>
                <Text text={sessionName(session)} />
              </a>
            </dd>
          </>
        )}
        {memory.provenance.session !== '' && (
          <Fact name="Agent" value={agentTitle(memory.provenance.agent)} />
        )}
        <Fact name="Evidence" value={evidenceWords(memory)} />
        <Fact name="Source" value={sourceWords(memory)} />
        {(memory.seen ?? 1) > 1 && <Fact name="Repeated" value={`in ${memory.seen} turns`} />}
        <Fact name="Size" value={`${counted(tokens, 'token')} when injected`} />
        {memory.concepts.length > 0 && <Fact name="Search phrases" value={memory.concepts.join(', ')} />}
        {journal && <Fact name="Journal" value={line === undefined ? journal : `${journal}:${line}`} code />}
        <Fact name="Id" value={shortId(memory.id)} code />
      </dl>
    </section>
  );
}

export function Chain({ detail }: { readonly detail: MemoryDetail }) {
  const { memory, chain, resolvedBy, merged } = detail;
  return (
    <>
      {chain.length > 1 && (
        <section aria-labelledby="chain">
          <h2 id="chain">Replacements</h2>
          <ol class="chain">
            {chain.map((ref) => (
              <li key={ref.id} aria-current={ref.id === memory.id ? 'true' : undefined}>
                <Ref of={ref} isHere={ref.id === memory.id} />
              </li>
            ))}
          </ol>
        </section>
      )}
      {resolvedBy && (
        <section aria-labelledby="resolved">
          <h2 id="resolved">Resolved by</h2>
          <Ref of={resolvedBy} />
        </section>
      )}
      {merged.length > 0 && (
        <section aria-labelledby="merged">
          <h2 id="merged">Merged memories</h2>
          <ul class="chain">
            {merged.map((ref) => (
              <li key={ref.id}>
                <Ref of={ref} isHere />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

export function Files({ detail: { files } }: { readonly detail: MemoryDetail }) {
  if (files.length === 0) return null;
  return (
    <section aria-labelledby="files">
      <h2 id="files">Files</h2>
      <ul class="files">
        {files.map(({ path, state, changedAt }) => (
          <li key={path}>
            <a href={to.search(withFilter('', 'file', path))}>
              <code>{path}</code>
            </a>
            {FILE_STATES[state] && (
              <span class={`badge ${state === 'same' ? '' : 'changed'}`}>
                {FILE_STATES[state]}
                {changedAt && `, ${ago(changedAt, new Date())}`}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Recalls({ detail: { recalls, recalledTimes } }: { readonly detail: MemoryDetail }) {
  return (
    <section class="panel about" aria-labelledby="recalls">
      <h2 id="recalls">Used in sessions</h2>
      {recalls.length === 0 ? (
        <p class="soft">Not used in a session yet.</p>
      ) : (
        <>
          <p class="soft">Injected {counted(recalledTimes, 'time')}</p>
          <ul class="recalls">
            {recalls.slice(0, RECALLS_SHOWN).map((recall, i) => (
              <li key={i}>
                <a href={to.session(recall.session)}>
                  <Text text={recall.sessionTitle ?? `Session of ${dateAndTime(recall.at)}`} />
                </a>
                <span class="soft">
                  {ago(recall.at, new Date())}, {WHERE[recall.where]}
                  {recall.where === 'prompt' && `, ${percent(recall.score)}`}
                </span>
                {recall.opened && <span class="badge used">opened by the agent</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** On a team server: the conversation stays on the author's machine. */
export function Elsewhere({ origin: { author, machine } }: { readonly origin: Origin }) {
  return (
    <section aria-labelledby="origin" class="origin">
      <h2 id="origin">Original conversation</h2>
      <p class="soft">
        It is on {author === '' ? 'the machine' : `${author}’s machine`} (<code>{machine}</code>). Only
        memories are shared, never conversations.
      </p>
    </section>
  );
}

/** On a team server: earlier texts, and texts that lost against a change made at the same time. */
export function ReplacedTexts({ texts }: { readonly texts: NonNullable<MemoryDetail['gaveWay']> }) {
  if (texts.length === 0) return null;
  return (
    <section aria-labelledby="gave-way">
      <h2 id="gave-way">Replaced texts</h2>
      <ol class="gave-way">
        {texts.map(({ title, body, reason, author, machine, at }) => (
          <li key={`${at} ${machine}`}>
            <p>
              <b>
                <Text text={title} />
              </b>{' '}
              <span class="soft small">
                {author}, from <code>{machine}</code>, until {dateAndTime(at)}
              </span>
            </p>
            {body !== '' && (
              <p>
                <Text text={body} />
              </p>
            )}
            {reason !== undefined && (
              <p>
                <span class="why">Why:</span> <Text text={reason} />
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

export function Neighbours({ detail: { neighbours } }: { readonly detail: MemoryDetail }) {
  const { before, after } = neighbours;
  if (!before && !after) return null;
  return (
    <nav class="panel about" aria-label="Memories before and after">
      <h2>Before and after</h2>
      <dl>
        {after && (
          <>
            <dt>After</dt>
            <dd>
              <a href={to.memory(after.id)}>
                <Text text={after.title} />
              </a>
            </dd>
          </>
        )}
        {before && (
          <>
            <dt>Before</dt>
            <dd>
              <a href={to.memory(before.id)}>
                <Text text={before.title} />
              </a>
            </dd>
          </>
        )}
      </dl>
    </nav>
  );
}

/** `isHere`: without a link, for the memory that is shown and for merged ones. */
function Ref({ of: ref, isHere = false }: { readonly of: MemoryRef; readonly isHere?: boolean }) {
  return (
    <span class="ref">
      <Kind kind={ref.kind} />
      {isHere ? (
        <span>
          <Text text={ref.title} />
        </span>
      ) : (
        <a href={to.memory(ref.id)}>
          <Text text={ref.title} />
        </a>
      )}
      <StateBadge state={ref.state} />
      <span class="soft">{ago(ref.at, new Date())}</span>
    </span>
  );
}

function Fact(props: { readonly name: string; readonly value: string; readonly code?: boolean }) {
  return (
    <>
      <dt>{props.name}</dt>
      <dd>{props.code ? <code>{props.value}</code> : props.value}</dd>
    </>
  );
}
