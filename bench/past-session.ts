/**
 * `npm run bench:past-session [-- --vectors]`: when does a past session clearly lead for a prompt? Asks prompts of invented
 * projects against sessions of many projects in one, prompts of the gate against memories told as sessions, and chores.
 * Prints how often the right session leads and how often one leads without need, and fits the weights. Also how well
 * turns are found. Everything it reads is in the clone, except group `t`, on which nothing is chosen.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MemoryIndex, type IndexedTurn } from '../src/database/index.ts';
import { leadingSession, searchTurns, type Leading } from '../src/recall/index.ts';
import { BLIND, DAILY, developmentParts } from './_gate.ts';
import { fitLogistic } from './_logistic.ts';
import type { LabelledFile } from './labelled-sessions.ts';
import { CHORES } from './_chores.ts';
import { BenchVectors } from './_vectors.ts';

const { values: options } = parseArgs({ options: { vectors: { type: 'boolean', default: false } } });

const SESSIONS = join(import.meta.dirname, '..', 'train', 'data', 'sessions');
/** Projects are spread over so many corpora, about fifty in each. */
const CORPORA = 8;
const FLOOR = 0.5;
const PENALTY = 1;
const PROJECT = 'many';

interface Asked {
  readonly part: 'linked' | 'other projects' | 'gate, wanted' | 'gate, nothing wanted' | 'chores';
  readonly leading: Leading | undefined;
  readonly right: boolean;
}

interface Project extends LabelledFile {
  readonly name: string;
}

const vectors = options.vectors ? await BenchVectors.open() : undefined;
const asked: Asked[] = [];
const places: number[] = [];
const projects = readdirSync(SESSIONS)
  .filter((file) => !file.startsWith('t-'))
  .toSorted()
  .map((name): Project => ({
    name,
    ...(JSON.parse(readFileSync(join(SESSIONS, name), 'utf8')) as LabelledFile),
  }));
for (let corpus = 0; corpus < CORPORA; corpus++) await askCorpus(corpus);
await askGate();
print();
await vectors?.close();

/** The later turn of a link ends or changes something that was said in an earlier session. */
interface Link {
  readonly prompt: string;
  readonly project: string;
  readonly turn: string;
}

async function askCorpus(corpus: number): Promise<void> {
  const own = projects.filter((_, i) => i % CORPORA === corpus);
  const others = projects.filter((_, i) => i % CORPORA === (corpus + 1) % CORPORA);
  const index = MemoryIndex.open(':memory:');
  const links: Link[] = [];
  let day = 0;
  for (const project of own) {
    const across = project.keep.filter(({ turn, until }) => until && sessionIn(until) !== sessionIn(turn));
    const first = across.map(({ until = '' }) => sessionIn(until)).toSorted()[0];
    const before = project.sessions.findIndex(({ id }) => id === first);
    const past = before < 0 ? project.sessions.slice(0, -1) : project.sessions.slice(0, before);
    for (const { id, turns } of past)
      index.upsertTurns(
        turns.map(({ user, assistant }, n) =>
          turnOf(`${project.name}.${id}`, n, new Date(Date.UTC(2026, 0, 1 + day++)), user, assistant),
        ),
      );
    for (const { turn, until = '' } of across) {
      const prompt = project.sessions[before]?.turns[Number(until.split('.')[1]) - 1]?.user;
      if (sessionIn(until) === first && prompt !== undefined)
        links.push({ prompt, project: project.name, turn: `${project.name}.${turn}` });
    }
  }
  await vectors?.embedIndex(index);
  const now = new Date(Date.UTC(2026, 0, 1 + day));
  const ask = async (part: Asked['part'], prompt: string, project = ''): Promise<void> => {
    const vector = await vectors?.query(prompt);
    const about = { project: PROJECT, now, ...(vector ? { vector } : {}) };
    const leading = leadingSession(index, prompt, { ...about, without: new Set() });
    asked.push({ part, leading, right: project !== '' && (leading?.session.startsWith(project) ?? false) });
  };
  for (const { prompt, project, turn } of links) {
    await ask('linked', prompt, project);
    const vector = await vectors?.query(prompt);
    const about = { project: PROJECT, now, limit: 10, ...(vector ? { vector } : {}) };
    places.push(searchTurns(index, prompt, about).findIndex((found) => found.turn.id === turn));
  }
  for (const { sessions } of others)
    for (const { user } of sessions[0]?.turns.slice(0, 2) ?? []) await ask('other projects', user);
  for (const prompt of CHORES) await ask('chores', prompt);
  index.close();
}

/** Each memory of a project of the gate is a session of one turn. */
async function askGate(): Promise<void> {
  for (const { name, written } of await developmentParts()) {
    if (name === BLIND || name === DAILY) continue;
    for (const { index: memories, prompts } of written) {
      const index = MemoryIndex.open(':memory:');
      index.upsertTurns(
        memories
          .memoriesBy({ limit: 1000 })
          .map(({ id, at, title, body, reason = '', facts, files }) =>
            turnOf(id, 0, new Date(at), title, [body, reason, ...facts, ...files].join('\n')),
          ),
      );
      for (const { prompt, wants } of prompts) {
        const leading = leadingSession(index, prompt, { project: PROJECT, without: new Set() });
        const part = wants.length > 0 ? 'gate, wanted' : 'gate, nothing wanted';
        asked.push({ part, leading, right: wants.includes(leading?.session ?? '') });
      }
      index.close();
    }
  }
}

function turnOf(session: string, n: number, began: Date, prompt: string, answer: string): IndexedTurn {
  const at = new Date(began.getTime() + n * 60_000).toISOString();
  const id = `${session}.${n + 1}`;
  const made = { origin: 'person', outcome: 'answered', tools: 0 } as const;
  return { id, session, project: PROJECT, at, endedAt: at, prompt, answer, hash: id, ...made };
}

function sessionIn(turn: string): string {
  return turn.split('.')[0] ?? '';
}

function print(): void {
  console.log('| prompts | number | got a session | % | the right one |\n|---|---|---|---|---|');
  for (const [part, all] of Map.groupBy(asked, (one) => one.part)) {
    const got = all.filter(({ leading }) => (leading?.score ?? 0) >= FLOOR);
    const right = got.filter((one) => one.right).length;
    const share = ((got.length / all.length) * 100).toFixed(1);
    console.log(`| ${[part, all.length, got.length, share, right].join(' | ')} |`);
  }
  const within = (depth: number) => places.filter((place) => place >= 0 && place < depth).length;
  console.log(
    `\nthe turn that a linked prompt is about, in the first 1 / 3 / 5 / 10 of ${places.length}: ${[1, 3, 5, 10].map(within).join(' / ')}`,
  );
  const samples = asked
    .filter(({ part }) => !part.startsWith('gate'))
    .map(({ leading, right }) => {
      const { words = 0, lead = 0, mass = 0 } = leading?.signs ?? {};
      return { values: [words, lead, mass], holds: right, weight: 1 };
    });
  const { bias, weights } = fitLogistic(samples, PENALTY);
  const [words, lead, mass] = weights.map((weight) => weight.toFixed(2));
  console.log(`fitted without the gate: bias ${bias.toFixed(2)}, words ${words}, lead ${lead}, mass ${mass}`);
}
