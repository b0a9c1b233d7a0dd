/** Shows why a line is as it is: its commit, the session behind it, and the memories of that session. */
import { resolve } from 'node:path';
import type { LineStory } from '../../../capture/index.ts';
import { plainLine, shortId, withOrigin } from '../../../core/index.ts';
import { age, cutToTokens } from '../../../recall/index.ts';
import { row } from '../../row.ts';
import type { Screen } from '../../screen.ts';
import { usageError, type Verb } from '../../verb.ts';

/** `src/auth.ts:12`, or `src/auth.ts:12:5` as compilers print it. */
const PLACE = /^(.+?):([1-9]\d{0,8})(?::\d+)?$/;
/** Enough of a body to see the reason, and of a prompt to recognise it. */
const BODY_TOKENS = 120;
const PROMPT_TOKENS = 40;
/** How much of a hash is shown: unique in repositories with millions of objects. */
const SHORT_HASH = 10;

export const blame: Verb = {
  name: 'blame',
  usage: 'blame <file>:<line>',
  summary: 'Show the commit, the session and the decisions behind a line of code.',
  examples: ['tidemark blame src/auth.ts:12', 'tidemark blame src/auth.ts:12 --json'],
  async run({ args, options, client, cwd, screen }) {
    const [, file, line] = PLACE.exec(args.join(' ')) ?? [];
    if (file === undefined) throw usageError('no file and line given', 'tidemark blame <file>:<line>');
    const story = await client.call('read.blame', { file: resolve(cwd, file), line: Number(line) });
    if (options['json'])
      return screen.json({
        ...story,
        memories: story.memories.map(({ memory, link }) => ({ memory: withOrigin(memory), link })),
      });
    for (const text of render(story, screen)) screen.print(text);
  },
};

function render(story: LineStory, screen: Screen): readonly string[] {
  const { file, line, text, memories } = story;
  const { paint } = screen;
  const front = paint.cyan(`${plainLine(file)}:${line}`);
  return [
    row(screen, { front, text, paint: paint.bold }),
    ...commitLines(story, screen),
    ...sessionLines(story, screen),
    ...(memories.length === 0 ? ['', paint.dim('No memory is about it.')] : ['', paint.dim('Memories:')]),
    ...memories.map(({ memory, link }) => {
      const facts = [memory.state, age(memory.at, new Date()), link];
      const kind = paint.yellow(memory.kind.padEnd(10));
      const behind = paint.dim(facts.join(' · '));
      const title = memory.reason ? `${memory.title} (${memory.reason})` : memory.title;
      return row(screen, { front: `${paint.cyan(shortId(memory.id))}  ${kind}`, text: title, behind });
    }),
  ];
}

function commitLines({ commit }: LineStory, screen: Screen): readonly string[] {
  const { paint } = screen;
  if (!commit) return ['', paint.dim('Not committed yet.')];
  const facts = [
    `${commit.at.slice(0, 10)}, ${age(commit.at, new Date())}`,
    ...(commit.file === undefined ? [] : [`as ${plainLine(commit.file)}`]),
    ...(commit.isOldest ? ['the oldest commit of this shallow clone'] : []),
  ];
  const body = cutToTokens(plainLine(commit.body), BODY_TOKENS);
  return [
    '',
    row(screen, {
      front: `${paint.dim('Commit')}  ${paint.cyan(commit.sha.slice(0, SHORT_HASH))}`,
      text: commit.subject,
      behind: paint.dim(facts.join(' · ')),
    }),
    ...(body === '' ? [] : [row(screen, { front: '       ', text: body })]),
  ];
}

function sessionLines({ session, commit }: LineStory, screen: Screen): readonly string[] {
  const { paint } = screen;
  if (!session)
    return [
      '',
      paint.dim(
        commit
          ? 'No captured session made or edited it.'
          : 'No captured session edited it since the last commit.',
      ),
    ];
  const { id, title, at, turn, prompt, link } = session;
  const asked = cutToTokens(plainLine(prompt), PROMPT_TOKENS);
  return [
    '',
    row(screen, {
      front: `${paint.dim('Session')} ${paint.cyan(id.slice(0, 8))}`,
      text: title ?? '(no title)',
      behind: paint.dim(`${at.slice(0, 10)}, ${age(at, new Date())} · ${link}`),
    }),
    row(screen, {
      front: '       ',
      text: `“${asked}”`,
      behind: paint.dim(`tidemark transcript ${turn}`),
    }),
  ];
}
