/**
 * Measures what the daemon costs: memory after many events and at rest, CPU time at rest, and the time of a SessionStart
 * that has to start it. Prints the figures and removes its folders. Linux only: the kernel reports the memory.
 *
 *   node bench/resources.ts [--events 3000] [--idle 40] [--cold 15] [--real] [--json]
 *
 * `--idle`: seconds without events before the last measurement. Below ten minutes the daemon's pause before it rests is
 * shortened too; `--real` leaves it as it is.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { HookName } from '../src/core/index.ts';
import { daemonPid } from '../test/support/daemon.ts';
import { Machine } from '../test/support/machine.ts';
import { uuid } from '../test/support/synthetic-transcript.ts';
import { waitFor } from '../test/support/wait-for.ts';
import { coldStarts, type ColdStarts } from './_cold-start.ts';
import { eventsOf } from './_many-events.ts';
import { commit, machine as machineFacts } from './_facts.ts';
import { cpuSeconds, heapsOf, memoryOf, reportOptions, type Heaps, type Memory } from './_process-memory.ts';

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '3000' },
    idle: { type: 'string', default: '40' },
    cold: { type: 'string', default: '15' },
    real: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const EVENTS = Number(options.events);
const IDLE_S = Number(options.idle);
/** The daemon rests after this share of the idle time, so that the measurement is of a daemon that rests. */
const REST_SHARE = 0.25;
const SAMPLE_MS = 200;

interface Moment {
  readonly when: string;
  readonly daemon: Memory;
  readonly heaps: Heaps;
  readonly embedder: Memory | undefined;
}

interface Figures {
  readonly machine: string;
  readonly events: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly stored: { readonly turns: number; readonly memories: number };
  readonly moments: readonly Moment[];
  readonly peakMb: number;
  readonly embedderPeakMb: number;
  readonly idle: { readonly seconds: number; readonly cpuSeconds: number };
  readonly firstAfterIdleMs: Readonly<Record<string, number>>;
  readonly cold: ColdStarts | undefined;
}

const figures = await measure();
console.log(options.json ? JSON.stringify(figures, null, 2) : markdown(figures));

async function measure(): Promise<Figures> {
  const machine = new Machine({
    TIDEMARK_EMBED_DRIVER: 'local',
    ...(options.real ? {} : { TIDEMARK_REST_MS: String(Math.round(IDLE_S * 1000 * REST_SHARE)) }),
  });
  try {
    const reports = join(machine.root, 'reports');
    mkdirSync(reports);
    machine.setEnv({ NODE_OPTIONS: reportOptions(reports) });
    await startByCli(machine);
    machine.setEnv({ NODE_OPTIONS: '' });
    const daemon = daemonPid(machine.places) ?? 0;
    const moment = async (when: string): Promise<Moment> => {
      const embedder = embedderOf(machine);
      return {
        when,
        daemon: memoryOf(daemon),
        heaps: await heapsOf(daemon, reports),
        embedder: embedder === undefined ? undefined : memoryOf(embedder),
      };
    };
    const before = await moment('before');
    const peak = watchPeak(machine, daemon);
    const started = performance.now();
    const workedBefore = cpuSeconds(daemon);
    for (const { name, fields, project, prepare } of eventsOf(machine, EVENTS)) {
      prepare();
      // Sessions start by the real hook; the other events take the socket as the hook does, without its processes.
      if (name === 'SessionStart') await machine.hook(name, fields, { project });
      else await machine.deliver(name, fields, { 'project-dir': project });
    }
    await machine.drained();
    const seconds = (performance.now() - started) / 1000;
    const workCpu = cpuSeconds(daemon) - workedBefore;
    const after = await moment('after');
    const { turns, memories } = await machine.call('read.stats', {});
    const cpuBefore = cpuSeconds(daemon);
    await delay(IDLE_S * 1000);
    const cpuAfter = cpuSeconds(daemon);
    peak.stop();
    const idle = await moment('idle');
    const firstAfterIdleMs = await firstHooks(machine);
    const cold = Number(options.cold) > 0 ? await coldStarts(machine, Number(options.cold)) : undefined;
    return {
      machine: `Commit ${commit()}. ${machineFacts()}`,
      events: EVENTS,
      seconds,
      cpuSeconds: workCpu,
      stored: { turns, memories },
      moments: [before, after, idle],
      peakMb: peak.daemonMb(),
      embedderPeakMb: peak.embedderMb(),
      idle: { seconds: IDLE_S, cpuSeconds: cpuAfter - cpuBefore },
      firstAfterIdleMs,
      cold,
    };
  } finally {
    await machine.close();
  }
}

/** As a user starts it: with the environment and flags that the client gives it. */
async function startByCli(machine: Machine): Promise<void> {
  const { code, stderr } = await machine.cli(['start']);
  if (code !== 0) throw new Error(stderr);
  await waitFor('the daemon to say who it is', () => daemonPid(machine.places) !== undefined);
}

function embedderOf(machine: Machine): number | undefined {
  return machine.processes().find(({ command }) => command.includes('embedder.cjs'))?.pid;
}

/** The kernel records the daemon's peak; the embedder's process may end before it is asked. */
function watchPeak(machine: Machine, daemon: number) {
  let daemonMb = 0;
  let embedderMb = 0;
  const look = (): void => {
    daemonMb = Math.max(daemonMb, memoryOf(daemon).peakMb);
    const embedder = embedderOf(machine);
    if (embedder !== undefined) embedderMb = Math.max(embedderMb, memoryOf(embedder).peakMb);
  };
  const timer = setInterval(look, SAMPLE_MS);
  return {
    daemonMb: () => daemonMb,
    embedderMb: () => embedderMb,
    stop: () => (look(), clearInterval(timer)),
  };
}

/** The first hooks after the pause, each as the client starts it. */
async function firstHooks(machine: Machine): Promise<Readonly<Record<string, number>>> {
  const session_id = uuid('after idle');
  const times: Record<string, number> = {};
  const fire = async (name: HookName, fields: Readonly<Record<string, unknown>>): Promise<void> => {
    const began = performance.now();
    await machine.hook(name, { session_id, ...fields }, { env: { TIDEMARK_ANSWER_S: '' } });
    times[name] = performance.now() - began;
  };
  await fire('UserPromptSubmit', { prompt: 'Where do we keep the settings of the parser?' });
  await fire('SessionStart', { source: 'startup' });
  await fire('Stop', {});
  return times;
}

function markdown({ machine, events, seconds, stored, moments, ...rest }: Figures): string {
  const mb = (value: number | undefined): string => (value === undefined ? '–' : value.toFixed(0));
  const row = ({ when, daemon, heaps, embedder }: Moment): string => {
    const perThread = Object.entries(heaps).map(
      ([thread, { usedMb, committedMb }]) => `${thread} ${mb(usedMb)}/${mb(committedMb)}`,
    );
    const columns = [daemon.rssMb, daemon.pssMb, daemon.anonymousMb].map(mb);
    return `| ${when} | ${columns.join(' | ')} | ${perThread.join(', ')} | ${mb(embedder?.rssMb)} |`;
  };
  const { peakMb, embedderPeakMb, idle, firstAfterIdleMs, cold } = rest;
  const first = Object.entries(firstAfterIdleMs).map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`);
  return [
    `${machine}. ${events} events in ${seconds.toFixed(0)} s (${rest.cpuSeconds.toFixed(1)} s of CPU in the daemon): ${stored.turns} turns, ${stored.memories} memories.`,
    '',
    '| MB | RSS | PSS | anonymous | heap of each thread: used/committed | embedder RSS |',
    '|---|---|---|---|---|---|',
    ...moments.map(row),
    '',
    `Peak RSS: daemon ${mb(peakMb)} MB, embedder ${embedderPeakMb > 0 ? `${mb(embedderPeakMb)} MB` : 'not started'}.`,
    `CPU in ${idle.seconds} idle seconds: ${idle.cpuSeconds.toFixed(2)} s. First hooks after that: ${first.join(', ')}.`,
    ...(cold ? coldLines(cold) : []),
  ].join('\n');
}

function coldLines({ n, medianMs, p90Ms, unanswered, phases }: ColdStarts): readonly string[] {
  const parts = Object.entries(phases).map(([phase, ms]) => `${phase} ${ms.toFixed(0)}`);
  return [
    `Cold SessionStart: median ${medianMs.toFixed(0)} ms, p90 ${p90Ms.toFixed(0)} ms, n ${n}${unanswered > 0 ? `, ${unanswered} not answered by the daemon` : ''}.`,
    `Median of each phase, ms: ${parts.join(', ')}.`,
  ];
}
