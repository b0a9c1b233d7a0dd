/** Level 2: prints entries in full. */
import {
  evidenceWords,
  shortId,
  sourceWords,
  withOrigin,
  type Memory,
  plainLine,
  plainText,
} from '../../../core/index.ts';
import type { ShownMemory } from '../../../daemon/index.ts';
import { age, changeNote, conflictNote } from '../../../recall/index.ts';
import { namesOfAgents } from '../../agent-option.ts';
import type { Screen } from '../../screen.ts';
import { wrapText } from '../../text-width.ts';
import { usageError, type Verb } from '../../verb.ts';

export const show: Verb = {
  name: 'show',
  usage: 'show <id…>',
  summary: 'Show memories in full, by id; the start of an id is enough.',
  async run(context) {
    const { args, options, client, cwd, screen } = context;
    if (args.length === 0) throw usageError('no id given', 'tidemark show <id>');
    const entries = await client.call('read.show', { ids: args, dir: cwd });
    if (options['json'])
      return screen.json(entries.map((entry) => ({ ...entry, memory: withOrigin(entry.memory) })));
    const texts: string[] = [];
    for (const entry of entries) {
      const { project, provenance } = entry.memory;
      const nameOf = await namesOfAgents(context, { project });
      texts.push(render(entry, nameOf(provenance.agent), screen));
    }
    screen.print(texts.join('\n\n'));
  },
};

const BRANCH_NOTE = { here: '', unknown: '', unmerged: ', not merged here' } as const;

function render(shown: ShownMemory, agent: string | undefined, screen: Screen): string {
  const { memory, journal, line, tokens, changes, branch, conflicts } = shown;
  const { provenance } = memory;
  const { paint } = screen;
  const wrapped = (text: string): string =>
    screen.isTerminal ? wrapText(plainText(text), screen.width) : text;
  const lines = [
    `${paint.yellow(memory.kind)} · ${paint.bold(plainLine(memory.title))}${memory.author === undefined ? '' : paint.dim(` (by ${plainLine(memory.author)})`)}`,
    paint.dim(
      `${shortId(memory.id)} · ${age(memory.at, new Date())} · ${memory.state} · ${memory.project} · ${tokens} tokens`,
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
    ...(memory.supersededBy ? ['', paint.red(`Replaced by ${shortId(memory.supersededBy)}`)] : []),
    ...(memory.supersedes ? ['', paint.dim(`Replaces ${memory.supersedes.map(shortId).join(', ')}`)] : []),
    ...(memory.resolvedBy ? ['', paint.green(`Resolved by ${shortId(memory.resolvedBy)}`)] : []),
    ...(memory.seen ? ['', paint.dim(`Mentioned in ${memory.seen} turns`)] : []),
    '',
    paint.dim(
      [originOf(memory, agent), ...(journal ? [`${journal}${line ? `:${line}` : ''}`] : [])].join(' · '),
    ),
    ...(provenance.session === '' ? [] : [paint.dim(conversationOf(memory))]),
  ];
  return lines.join('\n');
}

function originOf({ provenance: { session, by }, author }: Memory, agent: string | undefined): string {
  const among = agent === undefined ? '' : ` of ${agent}`;
  if (session !== '') return `from session ${session.slice(0, 8)}${among} by ${by}`;
  if (by !== 'person') return `by ${by}`;
  return author === undefined ? 'written by hand' : `written by hand on ${author}'s machine`;
}

function conversationOf({ id, author }: Memory): string {
  return author === undefined
    ? `the conversation: tidemark transcript ${shortId(id)}`
    : `the conversation is on ${author}'s machine`;
}
