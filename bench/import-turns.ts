/**
 * Imports labelled sessions as a user's history and waits until the small model has read every turn. Prints the time until
 * the turns are stored, the time and CPU until all are read, and the memory of both processes. Linux only.
 *
 *   node bench/import-turns.ts [--turns 10000] [--minutes 120]
 *
 * Sessions come from train/data/sessions; they are repeated under other names if there are too few.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { daemonPid } from '../test/support/daemon.ts';
import { Machine } from '../test/support/machine.ts';
import { cpuSeconds, memoryOf } from './_process-memory.ts';
import { makeRepository } from './memory-run.ts';
import { isTurn, writeTranscripts } from './_session-transcripts.ts';
import { labelledProjects } from './labelled-sessions.ts';

const { values: options } = parseArgs({
  options: { turns: { type: 'string', default: '10000' }, minutes: { type: 'string', default: '120' } },
});
const WANTED = Number(options.turns);
const LOOK_MS = 2000;
const FOLDER = resolve(import.meta.dirname, '..', 'train', 'data', 'sessions');

const machine = new Machine({ TIDEMARK_EMBED_DRIVER: 'local' });
try {
  await main();
} finally {
  await machine.close();
}

async function main(): Promise<void> {
  const written = writeHistory();
  print(`${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`);
  print(`history: ${written.turns} turns of ${written.projects} projects`);
  await machine.up();
  const stopAt = Date.now() + Number(options.minutes) * 60_000;
  const started = Date.now();
  const report = await machine.call('import.history', { sources: machine.sources, finished: true });
  print(`stored: ${report.turns} turns, ${report.memories} memories by rules, ${seconds(started)} s`);
  const model = new Map<number, Use>();
  let waiting = await left();
  while (waiting > 0 && Date.now() < stopAt) {
    await delay(LOOK_MS);
    const pid = modelProcess();
    if (pid !== undefined) model.set(pid, useOf(pid));
    waiting = await left();
  }
  const daemon = daemonPid(machine.places) ?? 0;
  const health = await machine.call('read.health', {});
  print(`read by the small model: ${report.turns - waiting} turns, ${seconds(started)} s since the start`);
  const uses = [...model.values()];
  const cpu = uses.reduce((sum, use) => sum + use.seconds, 0);
  const peak = Math.max(0, ...uses.map(({ peakMb }) => peakMb));
  const own = useOf(daemon);
  print(`CPU: model ${cpu.toFixed(0)} s, daemon ${own.seconds.toFixed(0)} s`);
  print(`peak memory: model ${peak.toFixed(0)} MB, daemon ${own.peakMb.toFixed(0)} MB`);
  print(`memories at the end: ${health.memories}`);
}

interface Use {
  readonly seconds: number;
  readonly peakMb: number;
}

function useOf(pid: number): Use {
  return { seconds: cpuSeconds(pid), peakMb: memoryOf(pid).peakMb };
}

/** The daemon's child that runs the model, if it runs now. */
function modelProcess(): number | undefined {
  const daemon = daemonPid(machine.places);
  const children = readdirSync(`/proc/${daemon}/task`).flatMap((task) =>
    readFileSync(`/proc/${daemon}/task/${task}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
  return children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('embedder.cjs'));
}

function writeHistory(): { readonly turns: number; readonly projects: number } {
  const known = labelledProjects(FOLDER);
  let turns = 0;
  let projects = 0;
  for (let round = 0; turns < WANTED; round++)
    for (const project of known) {
      if (turns >= WANTED) break;
      const name = round === 0 ? project.name : `${project.name}-${round}`;
      const cwd = join(machine.root, 'projects', name);
      mkdirSync(cwd, { recursive: true });
      makeRepository(cwd, machine.root);
      writeTranscripts({ ...project, name }, { config: machine.config, cwd });
      turns += project.sessions.flatMap((session) => session.turns.filter(isTurn)).length;
      projects++;
    }
  return { turns, projects };
}

function seconds(since: number): string {
  return ((Date.now() - since) / 1000).toFixed(0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function left(): Promise<number> {
  return (await machine.call('keep.health', {})).waiting;
}
