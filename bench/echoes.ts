/**
 * Counts false echoes. No memory was injected into the labelled sessions, so a use that the product finds there is chance
 * (a memory of another project), or something the agent knew by itself (an earlier memory of the same project).
 *
 *   node bench/echoes.ts --sessions DIR [--groups d,e,f] [--show] [--json]
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { claudeCode } from '../src/agents/claude-code/index.ts';
import { memoryId, type Memory, type StoredTurn, type Turn } from '../src/core/index.ts';
import { indexedTurn, MemoryIndex, turnHash } from '../src/database/index.ts';
import { redactTurn } from '../src/privacy/index.ts';
import { echoes } from '../src/recall/index.ts';
import { labelledProjects, type LabelledProject } from './labelled-sessions.ts';
import type { Label } from './memory-score.ts';
import { sessionId, writeTranscripts } from './_session-transcripts.ts';

const { values: options } = parseArgs({
  options: {
    sessions: { type: 'string' },
    groups: { type: 'string' },
    show: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
if (options.sessions === undefined) throw new Error('give --sessions DIR, a folder of labelled sessions');
const groups = options.groups?.split(',');
const projects = labelledProjects(options.sessions, groups ? { groups } : {});

const counts = { sessions: 0, turns: 0, own: 0, ownEchoed: 0, other: 0, otherEchoed: 0 };
for (const [i, project] of projects.entries()) {
  const stranger = projects[(i + 1) % projects.length];
  await count(project, stranger?.labels ?? []);
}
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
const data = createHash('sha256').update(JSON.stringify(projects)).digest('hex').slice(0, 12);
if (options.json)
  console.log(JSON.stringify({ commit, data, projects: projects.length, ...counts }, null, 2));
else {
  const share = (echoed: number, of: number): string =>
    `${echoed} of ${of} (${((100 * echoed) / of).toFixed(2)} %)`;
  console.log(`commit ${commit} · data ${data} · ${projects.length} projects, ${counts.turns} turns\n`);
  console.log(
    `falsely echoed, memory and session: ${share(counts.ownEchoed, counts.own)} of the own project`,
  );
  console.log(
    `                                    ${share(counts.otherEchoed, counts.other)} of another project`,
  );
}

/** Replays the sessions with all earlier memories, and as many of another project, recorded as injected. */
async function count(project: LabelledProject, strange: readonly Label[]): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-echoes-'));
  const index = MemoryIndex.open(':memory:');
  try {
    const cwd = join(root, project.name);
    const config = join(root, 'config');
    writeTranscripts(project, { config, cwd });
    for (const [n, { id }] of project.sessions.entries()) {
      const session = sessionId(project.name, id);
      const before = new Set(project.sessions.slice(0, n).map((one) => one.id));
      const isEarlier = ({ turn, until }: Label): boolean =>
        before.has(turn.split('.')[0] ?? '') && !before.has(until?.split('.')[0] ?? '');
      const own = project.labels.filter(isEarlier).map((label) => memoryOf(label, project.name));
      const other = strange.slice(0, own.length).map((label) => memoryOf(label, 'another'));
      counts.sessions++;
      counts.own += own.length;
      counts.other += other.length;
      const strangers = new Set(other.map((memory) => memory.id));
      index.upsertMemories([...own, ...other].map((memory) => ({ memory })));
      index.recordInjection(
        [...own, ...other].map((memory) => ({
          at: '2000-01-01T00:00:00.000Z',
          session,
          place: 'prompt',
          promptId: 'p',
          memory: memory.id,
          score: 1,
        })),
      );
      const path = join(config, 'projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-'), `${session}.jsonl`);
      for await (const { turn } of claudeCode.reader.readTurns(path)) {
        counts.turns++;
        const uses = echoes(index, storedIn(index, turn, project.name), writtenIn(turn));
        index.recordUse(uses);
        for (const { memory } of uses) {
          if (strangers.has(memory)) counts.otherEchoed++;
          else counts.ownEchoed++;
          if (options.show)
            console.log(
              strangers.has(memory) ? 'other' : 'own',
              project.name,
              id,
              index.memory(memory)?.title,
            );
        }
      }
    }
  } finally {
    index.close();
    rmSync(root, { recursive: true });
  }
}

function storedIn(index: MemoryIndex, turn: Turn, project: string): StoredTurn {
  const stored = { ...redactTurn(turn).turn, project };
  index.upsertTurns([indexedTurn(stored, { file: '', offset: 0, length: 0 }, turnHash(stored))]);
  return stored;
}

function writtenIn({ tools }: Turn): ReadonlyMap<string, readonly string[]> {
  return new Map(tools.map(({ id, wrote = [] }) => [id, wrote]));
}

function memoryOf({ id, turn, kind, title, why }: Label, project: string): Memory {
  const at = '2000-01-01T00:00:00.000Z';
  return {
    id: memoryId(at, `${project} ${id} ${turn}`, kind, 0),
    kind,
    title,
    body: '',
    ...(why === undefined ? {} : { reason: why }),
    facts: [],
    concepts: [],
    files: [],
    project,
    at,
    state: kind === 'issue' ? 'open' : 'current',
    provenance: { agent: 'claude-code', session: 'earlier', turn, messages: [], by: 'label' },
  };
}
