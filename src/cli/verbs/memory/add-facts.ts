/** Short ways to write down a decision, a pattern or an issue. */
import { TidemarkError, type Memory, type MemoryDraft } from '../../../core/index.ts';
import { JSON_OPTION, type Context, type Verb } from '../../verb.ts';
import { memoryLine } from './_memory.ts';

export const addDecision: Verb = {
  name: 'add-decision',
  usage: 'add-decision <content> [<reason…>]',
  summary: 'Write a decision down, with its reason.',
  options: { ...JSON_OPTION },
  examples: ['tidemark add-decision "Use structured Markdown" "Easier to parse"'],
  run: (context) => {
    const [content = '', ...reason] = context.args;
    return add(context, 'decision', content, reason.length > 0 ? { reason: reason.join(' ') } : {});
  },
};

export const addPattern: Verb = {
  name: 'add-pattern',
  usage: 'add-pattern <content…>',
  summary: 'Write a pattern down: how things are done here.',
  options: { ...JSON_OPTION },
  run: (context) => add(context, 'pattern', context.args.join(' '), {}),
};

export const addIssue: Verb = {
  name: 'add-issue',
  usage: 'add-issue <content…> [open|resolved]',
  summary: 'Write an issue down, open unless you say otherwise.',
  options: { ...JSON_OPTION },
  run: (context) => {
    const last = context.args.at(-1);
    const state = context.args.length > 1 && (last === 'open' || last === 'resolved') ? last : undefined;
    const words = state ? context.args.slice(0, -1) : context.args;
    return add(context, 'issue', words.join(' '), { state: state ?? 'open' });
  },
};

async function add(
  { client, cwd, options, screen }: Context,
  kind: MemoryDraft['kind'],
  title: string,
  more: Partial<MemoryDraft>,
): Promise<void> {
  if (title.trim() === '')
    throw new TidemarkError('usage', `what is the ${kind}?`, { hint: `tidemark add-${kind} "<text>"` });
  const draft = { kind, title, body: '', facts: [], concepts: [], files: [], ...more };
  const memory = await client.call<Memory>('remember', { draft, dir: cwd });
  if (options['json']) return screen.json(memory);
  screen.print(memoryLine(memory, screen));
}
