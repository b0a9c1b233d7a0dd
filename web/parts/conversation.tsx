/** The original turn of a memory. Long texts are cut until the user expands them. */
import { useState } from 'preact/hooks';
import type { StoredTurn, ToolCall, TurnOrigin, TurnOutcome } from '../../src/core/index.ts';
import { agentTitle } from '../here.ts';
import { dateAndTime } from '../time.ts';
import { useAnswer } from '../use-answer.ts';
import { Shown } from './notice.tsx';
import { LongText } from './text.tsx';

const SHOWN_AT_FIRST = 1600;

export const ORIGINS: Readonly<Record<Exclude<TurnOrigin, 'person'>, string>> = {
  task: 'Background task',
  subagent: 'Subagent',
};
export const OUTCOMES: Readonly<Record<Exclude<TurnOutcome, 'answered'>, string>> = {
  interrupted: 'interrupted',
  denied: 'not allowed',
  failed: 'failed',
  open: 'not finished',
};

/** Loads the turn by its id or by the id of a memory from it. */
export function Conversation({ id }: { readonly id: string }) {
  const conversation = useAnswer('GET /memories/:id/transcript', { id });
  return <Shown answer={conversation}>{({ turn }) => <Turn turn={turn} />}</Shown>;
}

function Turn({ turn }: { readonly turn: StoredTurn }) {
  return (
    <div class="conversation">
      <p class="conversation-when">
        {dateAndTime(turn.startedAt)}
        {turn.model && <> · {turn.model}</>}
        {turn.outcome !== 'answered' && <span class="badge">{OUTCOMES[turn.outcome]}</span>}
      </p>
      <Message
        who={turn.origin === 'person' ? 'You' : ORIGINS[turn.origin]}
        text={turn.prompt}
        side="person"
      />
      {turn.tools.length > 0 && (
        <ol class="tools" aria-label="What the agent did">
          {turn.tools.map((tool) => (
            <Tool key={tool.id} tool={tool} from={turn.cwd} />
          ))}
        </ol>
      )}
      {turn.answer && <Message who={agentTitle(turn.agent)} text={turn.answer} side="agent" />}
    </div>
  );
}

function Message(props: { readonly who: string; readonly text: string; readonly side: 'person' | 'agent' }) {
  const [all, setAll] = useState(false);
  const { who, text, side } = props;
  const isCut = !all && text.length > SHOWN_AT_FIRST;
  return (
    <div class={`said ${side}`}>
      <h3>{who}</h3>
      <div class="said-text">
        <LongText text={isCut ? `${text.slice(0, SHOWN_AT_FIRST)}…` : text} />
      </div>
      {isCut && (
        <button type="button" class="quiet" onClick={() => setAll(true)}>
          Show all ({(text.length - SHOWN_AT_FIRST).toLocaleString('en')} characters)
        </button>
      )}
    </div>
  );
}

function Tool({ tool, from }: { readonly tool: ToolCall; readonly from: string | undefined }) {
  const line = (
    <>
      <span class={`tool-status ${tool.status}`}>{tool.status === 'ok' ? '✓' : '✗'}</span>
      <span class="unseen">{tool.status}</span>
      <b>{tool.name}</b> <code>{tool.command ?? within(tool.target ?? '', from)}</code>
    </>
  );
  const output = tool.output ?? tool.errors.join('\n');
  if (!output) return <li class="tool">{line}</li>;
  return (
    <li class="tool">
      <details>
        <summary>{line}</summary>
        <pre>{output}</pre>
      </details>
    </li>
  );
}

/** Shows files of the project relative to its root. */
function within(target: string, root: string | undefined): string {
  return root !== undefined && target.startsWith(`${root}/`) ? target.slice(root.length + 1) : target;
}
