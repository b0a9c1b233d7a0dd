/** Level 2: prints entries in full. */
import {
  evidenceWords,
  sourceWords,
  withOrigin,
  type Memory,
  plainLine,
  plainText,
} from '../../../core/index.ts';
import type { ShownMemory } from '../../../daemon/index.ts';
import { age, changeNote, conflictNote } from '../../../recall/index.ts';
import type { Screen } from '../../screen.ts';
import { wrapText } from '../../text-width.ts';
import { usageError, type Verb } from '../../verb.ts';

export const show: Verb = {
  name: 'show',
  usage: 'show <id…>',
  summary: 'Show memories in full by id; the start of an id is enough.',
  async run({ args, options, client, cwd, screen }) {
    if (args.length === 0) throw usageError('no id given', 'tidemark show <id>');
    const entries = await client.call('read.show', { ids: args, dir: cwd });
    if (options['json'])
      return screen.json(entries.map((entry) => ({ ...entry, memory: withOrigin(entry.memory) })));
    const text = entries.map((entry) => render(entry, screen)).join('\n\n');
    screen.print(text);
  },
};

const BRANCH_NOTE = { here: '', unknown: '', unmerged: ', not merged here' } as const;

function render(shown: ShownMemory, screen: Screen): string {
  const { memory, journal, line, tokens, changes, branch, conflicts } = shown;
  const { provenance } = memory;
  const { paint } = screen;
  const wrapped = (text: string): string =>
    screen.isTerminal ? wrapText(plainText(text), screen.width) : text;
  const lines = [
    `${paint.yellow(memory.kind)} · ${paint.bold(plainLine(memory.title))}${memory.author === undefined ? '' : paint.dim(` (by ${plainLine(memory.author)})`)}`,
    paint.dim(
      `${memory.id} · ${age(memory.at, new Date())} · ${memory.state} · ${memory.project} · ${tokens} tokens`,
    ),
    paint.dim(`${evidenceWords(memory)} · source: ${sourceWords(memory)}`),
    ...(memory.body ? ['', wrapped(memory.body)] : []),
    ...(memory.reason ? ['', wrapped(`Reason: ${memory.reason}`)] : []),
    ...(memory.facts.length > 0 ? ['', ...memory.facts.map((fact) => wrapped(`- ${fact}`))] : []),
    ...(memory.files.length > 0 ? ['', `Files: ${plainLine(memory.files.join(', '))}`] : []),
    ...(changes.length > 0 ? ['', paint.red(`Since then: ${changeNote(changes)}`)] : []),
    ...(memory.branch ? ['', paint.dim(`On branch ${plainLine(memory.branch)}${BRANCH_NOTE[branch]}`)] : []),
    ...(conflicts.length > 0 ? ['', paint.red(wrapped(`Note: ${conflictNote(conflicts)}`))] : []),
    ...(memory.ended ? ['', paint.dim(`Ended ${age(memory.ended.at, new Date())}`)] : []),
    ...(memory.supersededBy ? ['', paint.red(`Replaced by ${memory.supersededBy}`)] : []),
    ...(memory.supersedes ? ['', paint.dim(`Replaces ${memory.supersedes.join(', ')}`)] : []),
    ...(memory.resolvedBy ? ['', paint.green(`Resolved by ${memory.resolvedBy}`)] : []),
    ...(memory.seen ? ['', paint.dim(`Mentioned in ${memory.seen} turns`)] : []),
    '',
    paint.dim([originOf(memory), ...(journal ? [`${journal}${line ? `:${line}` : ''}`] : [])].join(' · ')),
    ...(provenance.session === '' ? [] : [paint.dim(conversationOf(memory))]),
  ];
  return lines.join('\n');
}

function originOf({ provenance: { session, by }, author }: Memory): string {
  if (session !== '') return `from session ${session.slice(0, 8)} by ${by}`;
  if (by !== 'person') return `by ${by}`;
  return author === undefined ? 'written by hand' : `written by hand on ${author}'s machine`;
}

function conversationOf({ id, author }: Memory): string {
  return author === undefined
    ? `the conversation: tidemark transcript ${id}`
    : `the conversation is on ${author}'s machine`;
}
