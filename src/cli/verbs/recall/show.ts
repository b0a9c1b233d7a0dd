/** Level 2: prints entries in full. */
import {
  evidenceWords,
  shortId,
  SOURCE_MAKER,
  sourceWords,
  withOrigin,
  type Memory,
  plainLine,
  plainText,
} from '../../../core/index.ts';
import type { ShownMemory } from '../../../daemon/index.ts';
import {
  age,
  changeNote,
  isSectionId,
  writtenBy,
  type MemoryRef,
  type OwnSection,
} from '../../../recall/index.ts';
import { namesOfAgents } from '../../agent-option.ts';
import { tilde, type Paint, type Screen } from '../../screen.ts';
import { wrap, wrapText } from '../../text-width.ts';
import { usageError, type Verb } from '../../verb.ts';

export const show: Verb = {
  name: 'show',
  usage: 'show <id…>',
  summary:
    'Show memories in full, by id; the first four characters of an id are enough if no other has them.',
  async run(context) {
    const { args, options, client, cwd, screen } = context;
    if (args.length === 0) throw usageError('no id given', 'tidemark show <id>');
    const ids = args.filter((id) => !isSectionId(id));
    const entries = ids.length > 0 ? await client.call('read.show', { ids, dir: cwd }) : [];
    const sections: OwnSection[] = [];
    for (const id of args.filter(isSectionId))
      sections.push(await client.call('read.section', { id, dir: cwd }));
    if (options['json'])
      return screen.json([
        ...entries.map((entry) => ({ ...entry, memory: withOrigin(entry.memory) })),
        ...sections.map((section) => ({ section })),
      ]);
    const texts: string[] = [];
    for (const entry of entries) {
      const { project, provenance } = entry.memory;
      const nameOf = await namesOfAgents(context, { project });
      texts.push(render(entry, nameOf(provenance.agent), screen));
    }
    texts.push(...sections.map((section) => renderSection(section, screen)));
    screen.print(texts.join('\n\n'));
  },
};

/** A section of a file that an agent loads itself: the file, the heading and the text as it is now, redacted. */
function renderSection(section: OwnSection, screen: Screen): string {
  const { paint } = screen;
  const { id, label, title, path, at, text } = section;
  const wrapped = screen.isTerminal ? wrapText(plainText(text), screen.width) : text;
  return [
    `${paint.yellow(plainLine(label))} · ${paint.bold(plainLine(title))}`,
    paint.dim(`${id} · changed ${age(at, new Date())} · ${writtenBy(section, 'user')}`),
    paint.dim(`${plainLine(tilde(path))}, section "${plainLine(title)}"`),
    '',
    wrapped,
  ].join('\n');
}

const BRANCH_NOTE = { here: '', unknown: '', unmerged: ', not merged here' } as const;

function render(shown: ShownMemory, agent: string | undefined, screen: Screen): string {
  const { memory, projectName, journal, line, tokens, changes, branch } = shown;
  const { provenance } = memory;
  const { paint } = screen;
  const wrapped = (text: string): string =>
    screen.isTerminal ? wrapText(plainText(text), screen.width) : text;
  const lines = [
    titleOf(memory, screen),
    paint.dim(
      `${shortId(memory.id)} · ${age(memory.at, new Date())} · ${memory.state} · ${plainLine(projectName)} · ${tokens} tokens`,
    ),
    paint.dim(`${evidenceWords(memory)} · source: ${sourceWords(memory)}`),
    ...(memory.body ? ['', wrapped(memory.body)] : []),
    ...(memory.reason ? ['', wrapped(`Reason: ${memory.reason}`)] : []),
    ...(memory.facts.length > 0 ? ['', ...memory.facts.map((fact) => wrapped(`- ${fact}`))] : []),
    ...(memory.concepts.length > 0
      ? ['', wrapped(`Search phrases: ${plainLine(memory.concepts.join(', '))}`)]
      : []),
    ...(memory.files.length > 0 ? ['', wrapped(`Files: ${plainLine(memory.files.join(', '))}`)] : []),
    ...(changes.length > 0 ? ['', paint.red(`Since then: ${changeNote(changes)}`)] : []),
    ...(memory.branch ? ['', paint.dim(`On branch ${plainLine(memory.branch)}${BRANCH_NOTE[branch]}`)] : []),
    ...(memory.ended ? ['', paint.dim(`Ended ${age(memory.ended.at, new Date())}`)] : []),
    ...linked(shown, paint, wrapped),
    ...(memory.seen ? ['', paint.dim(`Mentioned in ${memory.seen} turns`)] : []),
    '',
    paint.dim(
      [
        originOf(memory, agent),
        ...(journal ? [`${journal}${line ? `:${line}` : ''}`] : []),
        `full id ${memory.id}`,
      ].join(' · '),
    ),
    ...(provenance.session === '' ? [] : [paint.dim(conversationOf(memory))]),
  ];
  return lines.join('\n');
}

/** `decision · Refresh tokens rotate on every use (by Ada)` */
function titleOf({ kind, title, author }: Memory, { isTerminal, width, paint }: Screen): string {
  const head = `${kind} · `;
  const text = plainLine(`${head}${title}${author === undefined ? '' : ` (by ${author})`}`);
  const lines = isTerminal ? wrap(text, width) : [text];
  const [first = '', ...rest] = lines;
  if (!first.startsWith(head)) return lines.map(paint.bold).join('\n'); // a very narrow terminal
  return [`${paint.yellow(kind)} · ${paint.bold(first.slice(head.length))}`, ...rest.map(paint.bold)].join(
    '\n',
  );
}

/** The memories that replaced or resolved it, those it replaced, and its neighbours in the session. */
function linked(shown: ShownMemory, paint: Paint, wrapped: (text: string) => string): readonly string[] {
  const { memory, neighbours, replacedBy, resolvedBy, replaces } = shown;
  // A link to a memory that was forgotten since has only its id.
  const to = (id: string, ref: MemoryRef | null): string => (ref ? refLine(ref) : shortId(id));
  const ends = [
    ...(memory.supersededBy
      ? [paint.red(wrapped(`Replaced by ${to(memory.supersededBy, replacedBy)}`))]
      : []),
    ...(memory.resolvedBy ? [paint.green(wrapped(`Resolved by ${to(memory.resolvedBy, resolvedBy)}`))] : []),
    ...(memory.supersedes ?? []).map((id) =>
      paint.dim(wrapped(`Replaces ${to(id, replaces.find((ref) => ref.id === id) ?? null)}`)),
    ),
  ];
  const beside = [
    ...(neighbours.before ? [paint.dim(wrapped(`Before it: ${refLine(neighbours.before)}`))] : []),
    ...(neighbours.after ? [paint.dim(wrapped(`After it:  ${refLine(neighbours.after)}`))] : []),
  ];
  return [
    ...(ends.length > 0 ? ['', ...ends] : []),
    ...(beside.length > 0 ? ['', paint.dim('In the same session:'), ...beside] : []),
  ];
}

/** `7k2m9qx decision: Refresh tokens rotate (superseded)` */
function refLine({ id, kind, title, state }: MemoryRef): string {
  const ended = state === 'superseded' || state === 'resolved' ? ` (${state})` : '';
  return `${shortId(id)} ${kind}: ${plainLine(title)}${ended}`;
}

function originOf({ provenance, author }: Memory, agent: string | undefined): string {
  const { session } = provenance;
  // Files that are searched in place have one maker; their agent tells CLAUDE.md from a folder of notes.
  const by = provenance.by === SOURCE_MAKER ? provenance.agent : provenance.by;
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
