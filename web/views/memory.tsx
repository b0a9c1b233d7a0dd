/** One memory: entry, actions, history, files, recalls and the original conversation. */
import type { Memory } from '../../src/core/index.ts';
import type { MemoryAction, MemoryDetail } from '../../src/http/index.ts';
import { changes } from '../live.ts';
import { openDialog, forgetById, setOpen } from '../parts/actions.tsx';
import { Conversation } from '../parts/conversation.tsx';
import { Icon } from '../parts/icon.tsx';
import { Kind, StateBadge } from '../parts/kind.tsx';
import {
  About,
  Chain,
  Elsewhere,
  Files,
  Neighbours,
  Recalls,
  ReplacedTexts,
} from '../parts/memory-about.tsx';
import { saysMore } from '../parts/memory-row.tsx';
import { Shown } from '../parts/notice.tsx';
import { LongText, Text } from '../parts/text.tsx';
import { useTitle } from '../parts/use-title.ts';
import { to } from '../route.ts';
import { ago } from '../time.ts';
import { useAnswer } from '../use-answer.ts';

export function MemoryView({ id }: { readonly id: string }) {
  const answer = useAnswer('GET /memories/:id', { id }, { again: changes.use() });
  useTitle(answer.kind === 'there' ? answer.value.memory.title : 'Memory');
  return (
    <Shown answer={answer} alone>
      {(detail) => (
        <div class="memory">
          <article>
            <Heading detail={detail} />
            <Actions detail={detail} />
            <Body memory={detail.memory} />
            <Chain detail={detail} />
            <Files detail={detail} />
            {detail.gaveWay && <ReplacedTexts texts={detail.gaveWay} />}
            {detail.hasTranscript && <Origin id={id} />}
            {detail.origin && <Elsewhere origin={detail.origin} />}
          </article>
          <aside class="stack" aria-label="About this memory">
            <About detail={detail} />
            {!detail.origin && <Recalls detail={detail} />}
            <Neighbours detail={detail} />
          </aside>
        </div>
      )}
    </Shown>
  );
}

function Heading({ detail: { memory, projectName } }: { readonly detail: MemoryDetail }) {
  return (
    <>
      <p class="crumbs">
        <a href={to.view('/projects')}>Projects</a> <span aria-hidden="true">/</span>{' '}
        <a href={to.project(memory.project)}>{projectName}</a>
      </p>
      <p class="kind-line">
        <Kind kind={memory.kind} />
        <StateBadge state={memory.state} />
        <span class="soft">{ago(memory.at, new Date())}</span>
      </p>
      <h1 data-memory={memory.id}>
        <Text text={memory.title} />
      </h1>
    </>
  );
}

function Actions({ detail }: { readonly detail: MemoryDetail }) {
  const { memory, actions } = detail;
  const may = (action: MemoryAction) => actions.includes(action);
  const isOpen = memory.state === 'open';
  if (actions.length === 0) return null;
  return (
    <div class="buttons actions" role="group" aria-label="Actions">
      {may('edit') && (
        <button type="button" class="button" onClick={() => openDialog('edit', detail)}>
          <Icon name="edit" /> Edit
        </button>
      )}
      {may('settle') && memory.kind === 'issue' && (isOpen || memory.state === 'resolved') && (
        <button type="button" class="button" onClick={() => void setOpen(detail, !isOpen)}>
          <Icon name="ok" /> {isOpen ? 'Resolve' : 'Reopen'}
        </button>
      )}
      {may('supersede') && memory.state !== 'superseded' && (
        <button type="button" class="button" onClick={() => openDialog('supersede', detail)}>
          <Icon name="replace" /> Replace
        </button>
      )}
      {may('move') && (
        <button type="button" class="button" onClick={() => openDialog('move', detail)}>
          <Icon name="move" /> Move
        </button>
      )}
      {may('forget') && (
        <button type="button" class="button danger" onClick={() => void forgetById(memory.id)}>
          <Icon name="forget" /> Forget
        </button>
      )}
    </div>
  );
}

function Body({ memory }: { readonly memory: Memory }) {
  const { body, title, reason, facts } = memory;
  return (
    <>
      {saysMore(title, body) && (
        <div class="body">
          <LongText text={body} />
        </div>
      )}
      {reason && (
        <div class="reason">
          <h2>Why</h2>
          <p>
            <Text text={reason} />
          </p>
        </div>
      )}
      {facts.length > 0 && (
        <section>
          <h2>Facts</h2>
          <ul class="facts">
            {facts.map((fact) => (
              <li key={fact}>
                <Text text={fact} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Origin({ id }: { readonly id: string }) {
  return (
    <section aria-labelledby="origin" class="origin">
      <h2 id="origin">Original conversation</h2>
      <Conversation id={id} />
    </section>
  );
}
