/** Level 3: shows the original turn of a memory, or the turns of a session, within a token limit. */
import { plainLine, plainText, type ToolCall } from '../../core/index.ts';
import type { ResultOf } from '../../daemon/index.ts';
import { age, cutToTokens, tokenCost } from '../../recall/index.ts';
import { data } from '../lines.ts';
import { defineTool, noteOpened, orNotFound, READS } from '../tool.ts';

const DEFAULT_TOKENS = 3000;
const MOST_TOKENS = 8000;
/** Most prompts are shorter than their answers; the answer gets the rest. */
const PROMPT_SHARE = 0.4;
const TOOLS_SHARE = 0.2;
const TOOL_TOKENS = 40;
const TURN_TOKENS = 30;

type Found = ResultOf<'read.conversation'>;

export const transcript = defineTool({
  name: 'transcript',
  title: 'Show the original conversation',
  description:
    'The original turn a memory came from: what the user wrote, which tools ran on what, what the agent answered. ' +
    'The most expensive of the three levels: use it when the exact wording, the reasoning or the commands matter. ' +
    'It names the turns before and after, which can be opened the same way. The id of a session lists its turns.',
  properties: {
    id: { type: 'string', maxLength: 200, description: 'Id of a memory, a turn or a session' },
    max_tokens: {
      type: 'integer',
      minimum: 200,
      maximum: MOST_TOKENS,
      default: DEFAULT_TOKENS,
      description: 'Longer turns are cut to this',
    },
  },
  required: ['id'],
  annotations: READS,
  async run({ id, max_tokens: tokens = DEFAULT_TOKENS }, context) {
    const found = await orNotFound(context.call('read.conversation', { id }), (message) => message);
    if (found.memory) await noteOpened([found.memory.id], context);
    const { turn } = found;
    return data(turn ? render({ ...found, turn }, tokens, context.now) : turnList(found, tokens));
  },
});

/** One line per turn of a session, oldest first, while they fit. */
function turnList({ turns, session }: Found, tokens: number): readonly string[] {
  const lines = turns.map(({ id, startedAt, prompt }) => {
    const [first = ''] = prompt.trim().split('\n');
    return `${id} ${startedAt.slice(0, 16).replace('T', ' ')}: ${cutToTokens(plainLine(first), TURN_TOKENS)}`;
  });
  const most = Math.max(1, Math.floor(tokens / (2 * TURN_TOKENS)));
  const left = lines.length - most;
  return [
    `Session ${session?.id ?? turns[0]?.session ?? ''}, ${turns.length} turns (open one by its id):`,
    ...lines.slice(0, most),
    ...(left > 0 ? [`… ${left} more; raise max_tokens to list them`] : []),
  ];
}

function render(
  { turn, previous, next }: Found & { readonly turn: NonNullable<Found['turn']> },
  tokens: number,
  now: Date,
): readonly string[] {
  const prompt = cutToTokens(plainText(turn.prompt), Math.floor(tokens * PROMPT_SHARE));
  const tools = toolLines(turn.tools, Math.floor(tokens * TOOLS_SHARE));
  const left = Math.max(TOOL_TOKENS, tokens - tokenCost(prompt) - tokenCost(tools.join('\n')));
  return [
    `Turn ${turn.id}, ${turn.startedAt.slice(0, 16).replace('T', ' ')} UTC (${age(turn.startedAt, now)}), session ${turn.session}, ${turn.outcome}`,
    '',
    `${turn.origin === 'person' ? 'User' : turn.origin}:`,
    prompt,
    ...(tools.length > 0 ? ['', 'Tools:', ...tools] : []),
    '',
    'Agent:',
    cutToTokens(plainText(turn.answer), left) || '(no answer)',
    ...(previous || next ? [''] : []),
    ...(previous ? [`Previous turn: ${previous}`] : []),
    ...(next ? [`Next turn: ${next}`] : []),
  ];
}

/** Keeps the first and the last calls, which say most. */
function toolLines(tools: readonly ToolCall[], tokens: number): readonly string[] {
  const most = Math.max(2, Math.floor(tokens / TOOL_TOKENS));
  const lines = tools.map(toolLine);
  if (lines.length <= most) return lines;
  const half = Math.floor(most / 2);
  const left = lines.length - 2 * half;
  return [
    ...lines.slice(0, half),
    `… ${left} more ${left === 1 ? 'call' : 'calls'} …`,
    ...lines.slice(-half),
  ];
}

function toolLine({ name, command, target, status, exit, errors }: ToolCall): string {
  const about = command ?? target ?? '';
  const outcome = status === 'ok' ? '' : ` → ${status}${exit === undefined ? '' : ` (exit ${exit})`}`;
  const error = errors[0] ? `: ${errors[0]}` : '';
  return cutToTokens(plainLine(`- ${name} ${about}${outcome}${error}`), TOOL_TOKENS);
}
