/** Explains each injection: what was injected and why, or why nothing was. */
import { plainLine, plainText, shortened, shortId } from '../../../core/index.ts';
import { type Moment, type RecalledMemory, age } from '../../../recall/index.ts';
import { row } from '../../row.ts';
import { counted, type Screen } from '../../screen.ts';
import { widthOf } from '../../text-width.ts';
import { count, flag, value, type Verb } from '../../verb.ts';

const PROMPT_CHARS = 72;

export const why: Verb = {
  name: 'why',
  usage: 'why [<memory> | <session> | <words of a prompt…>] [--limit <n>]',
  summary: 'Show what was injected into a session, and why.',
  options: {
    all: flag('Sessions of all projects, not only of this one.'),
    limit: value('n', 'Maximum number of injections, newest first (default: 10).'),
  },
  examples: ['tidemark why', 'tidemark why 7k2m9qx', 'tidemark why refresh token'],
  async run({ args, options, client, cwd, env, screen }) {
    // Inside Claude Code the default is the running session.
    const of = args.length > 0 ? args.join(' ') : env['CLAUDE_CODE_SESSION_ID'];
    const where = options['all'] ? {} : { dir: cwd };
    const limit = count(options, 'limit', 10);
    const moments = await client
      .call('read.why', { limit, ...where, ...(of ? { of } : {}) })
      .catch((error: unknown) => {
        if (args[0] === undefined && (error as { code?: string }).code === 'not-found') return [];
        throw error;
      });
    if (options['json']) return screen.json(moments);
    for (const moment of moments) screen.print(render(moment, screen));
    if (moments.length > 0) return;
    screen.say(
      args.length > 0
        ? 'Not used in a session yet.'
        : 'Nothing was injected here yet. Sessions of all projects: tidemark why --all',
    );
  },
};

function render(moment: Moment, screen: Screen): string {
  const { paint } = screen;
  const { at, session, where, prompt, considered, reason, memories, conversation } = moment;
  const what = prompt ? `“${firstLine(prompt)}”` : NAMES[where];
  const found =
    counted(memories.length, 'memory') + (where === 'prompt' ? ` of ${considered} candidates` : '');
  const past = conversation ? [`the end of session ${conversation.session.slice(0, 8)}`] : [];
  const injected = [...(conversation && memories.length === 0 ? [] : [found]), ...past].join(', ');
  const outcome = reason === undefined ? injected : `nothing injected: ${reason}`;
  const behind = paint.dim(`${age(at, new Date())} · session ${session.slice(0, 8)}`);
  const line = `${paint.bold(what)}  ${outcome}  ${behind}`;
  const head = widthOf(line) <= screen.width ? line : `${paint.bold(what)}\n  ${outcome}  ${behind}`;
  const reasons = conversation ? [`    ${paint.dim(plainLine(conversation.why))}`] : [];
  return [head, ...reasons, ...memories.flatMap((memory) => lines(memory, screen))].join('\n');
}

const NAMES: Readonly<Record<Moment['where'], string>> = {
  brief: 'The brief',
  prompt: 'A prompt',
  read: 'A file was read',
  edit: 'A file was about to be changed',
  stop: 'A call was stopped',
};

function lines(recalled: RecalledMemory, screen: Screen): readonly string[] {
  const { paint } = screen;
  const { id, memory, opened, reasons } = recalled;
  const state = memory && memory.state !== 'current' ? [paint.red(`(${memory.state})`)] : [];
  const kind = memory ? [paint.yellow(memory.kind.padEnd(10))] : [];
  return [
    row(screen, {
      front: ['', paint.cyan(shortId(id)), ...kind].join('  '),
      text: memory?.title ?? '(forgotten since)',
      ...(memory ? {} : { paint: paint.dim }),
      behind: [...state, ...(opened ? [paint.green('opened')] : [])].join('  '),
    }),
    ...(reasons.length > 0
      ? [row(screen, { front: '  ', text: reasons.join(' · '), paint: paint.dim })]
      : []),
  ];
}

function firstLine(text: string): string {
  const line = plainLine(plainText(text).trim().split('\n')[0] ?? '');
  return shortened(line, PROMPT_CHARS);
}
