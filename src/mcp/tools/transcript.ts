/** Level 3: the original turn behind a memory, tools abbreviated, cut to what a context can bear. */
import { TidemarkError, type Memory, type StoredTurn, type ToolCall } from '../../core/index.ts';
import { plainLine, plainText } from '../../privacy/index.ts';
import { age, cutToTokens, tokenCost } from '../../recall/index.ts';
import { data } from '../lines.ts';
import { noteOpened } from '../opened.ts';
import { defineTool, READS } from '../tool.ts';

const DEFAULT_TOKENS = 3000;
const MOST_TOKENS = 8000;
/** The prompt is the shorter half of most turns; the answer gets what it leaves. */
const PROMPT_SHARE = 0.4;
const TOOLS_SHARE = 0.2;
const TOOL_TOKENS = 40;

interface Found {
  readonly memory?: Memory;
  readonly turn: StoredTurn;
  readonly previous?: string;
  readonly next?: string;
}

export const transcript = defineTool({
  name: 'transcript',
  title: 'Show the original conversation',
  description:
    'The original turn a memory came from: what the user wrote, which tools ran on what, what the agent answered. ' +
    'The dearest of the three levels: use it when the exact wording, the reasoning or the commands matter. ' +
    'It names the turns before and after, which can be opened the same way.',
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', maxLength: 200, description: 'Id of a memory, or of a turn' },
      max_tokens: {
        type: 'integer',
        minimum: 200,
        maximum: MOST_TOKENS,
        default: DEFAULT_TOKENS,
        description: 'Longer turns are cut to this',
      },
    },
    required: ['id'],
    additionalProperties: false,
  },
  annotations: READS,
  async run({ id, max_tokens: tokens = DEFAULT_TOKENS }, context) {
    const found = await context.call<Found>('read.transcript', { id }).catch((error: unknown) => {
      if (!(error instanceof TidemarkError) || error.code !== 'not-found') throw error;
      throw new TidemarkError('not-found', `neither a memory nor a turn is known as ${id}`, {
        hint: 'Ids come from search.',
      });
    });
    if (found.memory) await noteOpened([found.memory.id], context);
    return data(render(found, tokens, context.now));
  },
});

function render({ turn, previous, next }: Found, tokens: number, now: Date): readonly string[] {
  const prompt = cutToTokens(plainText(turn.prompt), Math.floor(tokens * PROMPT_SHARE));
  const tools = toolLines(turn.tools, Math.floor(tokens * TOOLS_SHARE));
  const left = Math.max(TOOL_TOKENS, tokens - tokenCost(prompt) - tokenCost(tools.join('\n')));
  return [
    `Turn ${turn.id}, ${turn.startedAt.slice(0, 16).replace('T', ' ')} UTC (${age(turn.startedAt, now)}), session ${turn.session}, ${turn.outcome}`,
    '',
    `${turn.origin === 'person' ? 'Person' : turn.origin}:`,
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

/** The first and last calls of many: how it began and how it ended say most. */
function toolLines(tools: readonly ToolCall[], tokens: number): readonly string[] {
  const most = Math.max(2, Math.floor(tokens / TOOL_TOKENS));
  const lines = tools.map(toolLine);
  if (lines.length <= most) return lines;
  const half = Math.floor(most / 2);
  return [...lines.slice(0, half), `… ${lines.length - 2 * half} more calls …`, ...lines.slice(-half)];
}

function toolLine({ name, command, target, status, exit, errors }: ToolCall): string {
  const about = command ?? target ?? '';
  const outcome = status === 'ok' ? '' : ` → ${status}${exit === undefined ? '' : ` (exit ${exit})`}`;
  const error = errors[0] ? `: ${errors[0]}` : '';
  return cutToTokens(plainLine(`- ${name} ${about}${outcome}${error}`), TOOL_TOKENS);
}
