/**
 * Runs the product over the labelled projects and writes what the small model is asked there, so that it can learn from
 * the memories that the product really makes. Group t is left out.
 *
 *   node train/made.ts --pairs FILE --sheet FILE [--groups work,long] [--model DIR] [--part 0/2]
 *
 * pairs: examples of *relate*, one JSON object per line: a statement and a memory that it ends (supersedes, resolves) or
 *        leaves as it is (stays), by the labels of the project
 * sheet: what a labeller reads, one line per prompt of a later session: the prompt, the one before it, and the memories of
 *        the sessions before
 */
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { labelWords } from '../bench/label-words.ts';
import { labelledProjects, type LabelledProject } from '../bench/labelled-sessions.ts';
import { replayProject } from '../bench/memory-run.ts';
import { cachedSmallModel } from '../bench/cached-small.ts';
import { isLive, type Memory } from '../src/core/index.ts';
import { memoryText, type Pair, type SmallModel } from '../src/models/index.ts';
import { endingOf, shareOf } from './_labels.ts';

const { values: options } = parseArgs({
  options: {
    sessions: { type: 'string', default: 'train/data/sessions' },
    groups: { type: 'string' },
    part: { type: 'string', default: '0/1' },
    model: { type: 'string' },
    pairs: { type: 'string', default: 'pairs.jsonl' },
    sheet: { type: 'string', default: 'sheet.jsonl' },
  },
});

/** A memory states a label of its turn from this share of the label's words on. */
const STATES_FROM = 0.5;
/** A statement of the ending turn ends the label from this share of its title's words on. */
const ENDS_FROM = 0.2;
/** Memories per prompt; of more the ones with the most words of the prompt. */
const MOST = 14;
const EVERY = 10_000;

type Label = LabelledProject['labels'][number];

const [part = 0, parts = 1] = options.part.split('/').map(Number);
const projects = labelledProjects(
  options.sessions,
  options.groups === undefined ? {} : { groups: options.groups.split(',') },
).filter(({ name }, i) => !name.startsWith('t-') && i % parts === part);
const model = await cachedSmallModel(options.model);
const root = realpathSync(mkdtempSync(join(tmpdir(), 'bs-')));
process.env['HOME'] = root;
writeFileSync(options.pairs, '');
writeFileSync(options.sheet, '');
try {
  for (const project of projects) await replay(project);
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

async function replay(project: LabelledProject): Promise<void> {
  const folder = join(root, project.name);
  mkdirSync(folder);
  const names = project.sessions.flatMap((session) => session.turns.map((_, n) => `${session.id}.${n + 1}`));
  let now = '';
  /** The memories before the turn by the text that *relate* reads, each with the turn that it came from. */
  let known = new Map<string, { readonly memory: Memory; readonly made: string }>();
  const asking: SmallModel = {
    ...model,
    relate: (pairs, signal) => {
      for (const pair of pairs) {
        const { memory, made = '' } = known.get(pair.b) ?? {};
        const label = memory && labelOf(project, pair, memory, { made, now, names });
        if (label) append(options.pairs, { project: project.name, ...pair, label });
      }
      return model.relate(pairs, signal);
    },
  };
  await replayProject(project, folder, asking, ({ index }, turn, turns) => {
    const memories = index.memoriesBy({ limit: EVERY });
    const session = sessionOf(turn);
    if (session !== sessionOf(now) && now !== '') writeSheet(project, session, memories.filter(isLive));
    now = turn;
    known = new Map(
      memories.map((memory) => [
        memoryText({ ...memory, body: '', files: [] }),
        { memory, made: turns.get(memory.provenance.turn) ?? '' },
      ]),
    );
  });
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

interface When {
  /** The turn that the memory came from, the present one, and all in their order. */
  readonly made: string;
  readonly now: string;
  readonly names: readonly string[];
}

/** Returns what the statement does to the memory by the labels; undefined if they do not say it. */
function labelOf(
  { labels }: LabelledProject,
  { a }: Pair,
  memory: Memory,
  { made, now, names }: When,
): 'stays' | 'supersedes' | 'resolves' | undefined {
  const label = statedBy(
    memory,
    labels.filter(({ turn }) => turn === made),
  );
  if (!label || made === now) return undefined;
  const until = label.until === undefined ? Infinity : names.indexOf(label.until);
  const at = names.indexOf(now);
  if (at !== until) return at < until ? 'stays' : undefined;
  const by = labels.find(({ id }) => id === label.by);
  const isEnd =
    shareOf(labelWords(label.title), labelWords(a)) >= ENDS_FROM ||
    (by !== undefined && shareOf(labelWords(by.quote), labelWords(a)) >= STATES_FROM);
  return isEnd ? endingOf(label, labels) : undefined;
}

/** Returns the label that the memory states best. */
function statedBy({ title, body }: Memory, labels: readonly Label[]): Label | undefined {
  const words = labelWords(`${title} ${body}`);
  const shared = labels.map((label) => {
    const shares = [label.title, label.quote].map((text) => shareOf(labelWords(text), words));
    return { label, share: Math.max(...shares) };
  });
  return shared.filter(({ share }) => share >= STATES_FROM).toSorted((x, y) => y.share - x.share)[0]?.label;
}

function writeSheet({ name, sessions }: LabelledProject, id: string, memories: readonly Memory[]): void {
  const turns = sessions.find((session) => session.id === id)?.turns ?? [];
  for (const [n, { user }] of turns.entries()) {
    const words = labelWords(user);
    const nearest = memories
      .map((memory) => ({ memory, share: shareOf(labelWords(`${memory.title} ${memory.body}`), words) }))
      .toSorted((x, y) => y.share - x.share)
      .slice(0, MOST)
      .map(({ memory: { kind, title, body, reason, files } }) => ({ kind, title, body, reason, files }));
    if (nearest.length === 0) continue;
    const before = turns[n - 1]?.user;
    append(options.sheet, { key: `${name} ${id}.${n + 1}`, prompt: user, before, memories: nearest });
  }
}

function sessionOf(turn: string): string {
  return turn.split('.')[0] ?? '';
}

function append(file: string, line: object): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}
