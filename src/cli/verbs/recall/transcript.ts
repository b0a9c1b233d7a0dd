/** Level 3: prints the original turn of a memory, a turn with those around it, or a whole session. */
import { plainLine, plainText, type StoredTurn, type ToolCall } from '../../../core/index.ts';
import type { Conversation } from '../../../daemon/index.ts';
import { counted, type Paint, type Screen } from '../../screen.ts';
import { wrapText } from '../../text-width.ts';
import { count, flag, usageError, value, type Verb } from '../../verb.ts';

export const transcript: Verb = {
  name: 'transcript',
  usage: 'transcript <memory | turn | session> [--around <n>] [--tools]',
  summary: 'Show the original conversation: the turn of a memory, a turn, or a whole session.',
  options: {
    around: value('n', 'Also show this many turns before and after (default: 0).'),
    tools: flag('Show the stored output of each tool call; long output is stored shortened.'),
  },
  examples: [
    'tidemark transcript 7k2m9qx',
    'tidemark transcript 7k2m9qx --around 2 --tools',
    'tidemark transcript 5f3c1a2b',
  ],
  async run({ args, options, client, screen }) {
    const [id] = args;
    if (!id) throw usageError('no id given', 'tidemark transcript <memory, turn or session>');
    const around = options['around'] === undefined ? 0 : count(options, 'around', 0);
    const found = await client.call('read.conversation', { id, around });
    if (options['json']) return screen.json(found);
    const withOutput = Boolean(options['tools']);
    const texts = found.turns.map((turn) => render(turn, found, withOutput, screen));
    screen.print(texts.join(`\n\n${screen.paint.dim('─'.repeat(RULE_WIDTH))}\n\n`));
    for (const note of notesOn(found, id)) screen.say(note);
  },
};

const RULE_WIDTH = 24;

function render(
  turn: StoredTurn,
  { turns, turn: meant }: Conversation,
  withOutput: boolean,
  { paint, isTerminal, width }: Screen,
): string {
  const wrapped = (text: string): string => (isTerminal ? wrapText(plainText(text), width) : text);
  const tools = turn.tools.flatMap((tool) => [
    toolLine(tool, paint),
    ...(withOutput ? [outputOf(tool, paint)] : []),
  ]);
  const isThis = turns.length > 1 && turn.id === meant?.id;
  return [
    paint.dim(`${turn.startedAt} · session ${turn.session} · turn ${turn.id} · ${turn.outcome}`) +
      (isThis ? paint.green('  ← this one') : ''),
    '',
    paint.bold(turn.origin === 'person' ? 'User' : SPEAKERS[turn.origin]),
    wrapped(turn.prompt),
    ...(tools.length > 0 ? ['', paint.bold('Tools'), ...tools] : []),
    '',
    paint.bold('Agent'),
    wrapped(turn.answer) || paint.dim('(no answer)'),
  ].join('\n');
}

const SPEAKERS = { task: 'Background task', subagent: 'Prompt of a subagent' } as const;

function toolLine(tool: ToolCall, paint: Paint): string {
  const mark = tool.status === 'ok' ? paint.green('✓') : paint.red(tool.status);
  return `${mark} ${plainText(`${tool.name} ${tool.command ?? tool.target ?? ''}`).trimEnd()}`;
}

function outputOf({ output }: ToolCall, paint: Paint): string {
  const text = plainText(output ?? '').trimEnd();
  if (text === '') return paint.dim('    (no output stored)');
  return paint.dim(text.replace(/^/gm, '    '));
}

function notesOn({ turn, before, after, gone, session }: Conversation, id: string): readonly string[] {
  const around = [
    ...(before > 0 ? [`${counted(before, 'turn')} before`] : []),
    ...(after > 0 ? [`${counted(after, 'turn')} after`] : []),
  ];
  const of = turn?.session ?? session?.id ?? id;
  return [
    ...(gone > 0
      ? [`${counted(gone, 'turn')} of this session ${gone === 1 ? 'is' : 'are'} no longer stored.`]
      : []),
    ...(turn && around.length > 0
      ? [
          `This session has ${around.join(' and ')}. Show some with --around <n>, all with: tidemark transcript ${plainLine(of)}`,
        ]
      : []),
  ];
}
