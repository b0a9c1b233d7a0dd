/** Level 3: prints the original turn of a memory, with tool calls abbreviated. */
import { type StoredTurn, plainText } from '../../../core/index.ts';
import type { Paint } from '../../screen.ts';
import { usageError, type Verb } from '../../verb.ts';

export const transcript: Verb = {
  name: 'transcript',
  usage: 'transcript <id>',
  summary: 'Show the original turn of a memory, or a turn by its id.',
  async run({ args, options, client, screen }) {
    const [id] = args;
    if (!id) throw usageError('no id given', 'tidemark transcript <id>');
    const found = await client.call('read.transcript', { id });
    if (options['json']) return screen.json(found);
    screen.print(render(found.turn, screen.paint));
  },
};

function render(turn: StoredTurn, paint: Paint): string {
  const tools = turn.tools.map((tool) => {
    const mark = tool.status === 'ok' ? paint.green('✓') : paint.red(tool.status);
    return `${mark} ${plainText(`${tool.name} ${tool.command ?? tool.target ?? ''}`).trimEnd()}`;
  });
  return [
    paint.dim(`${turn.startedAt} · session ${turn.session} · ${turn.outcome}`),
    '',
    paint.bold('User'),
    turn.prompt,
    ...(tools.length > 0 ? ['', paint.bold('Tools'), ...tools] : []),
    '',
    paint.bold('Agent'),
    turn.answer || paint.dim('(no answer)'),
  ].join('\n');
}
