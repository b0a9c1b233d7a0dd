/** Measures SessionStart without a running daemon: the hook starts it and waits for the brief. */
import { readFileSync, rmSync } from 'node:fs';
import type { Machine } from '../test/support/machine.ts';
import { uuid } from '../test/support/synthetic-transcript.ts';
import { projectOf } from './_many-events.ts';

/** Steps of a start, in order; each ends at a line of the daemon's log. */
const PHASES = [
  'shell and hook client',
  'load the daemon',
  'listen',
  'process events',
  'brief',
  'print',
] as const;
type Phase = (typeof PHASES)[number];

export interface ColdStarts {
  readonly n: number;
  readonly medianMs: number;
  readonly p90Ms: number;
  /** Starts that were answered by the stored brief, not by the daemon. */
  readonly unanswered: number;
  /** Median of each phase. */
  readonly phases: Readonly<Record<Phase, number>>;
}

export async function coldStarts(machine: Machine, n: number): Promise<ColdStarts> {
  const samples: { readonly ms: number; readonly phases: readonly number[] }[] = [];
  let unanswered = 0;
  for (let i = -1; i < n; i++) {
    await machine.stopDaemon();
    rmSync(machine.places.log, { force: true });
    const fields = { session_id: uuid('cold', i), source: 'startup', cwd: projectOf(machine, i + 1) };
    const options = {
      project: projectOf(machine, i + 1),
      env: { TIDEMARK_ANSWER_S: '', TIDEMARK_LOG_LEVEL: 'debug' },
    };
    const began = performance.timeOrigin + performance.now();
    const { stdout } = await machine.hook('SessionStart', fields, options);
    const ended = performance.timeOrigin + performance.now();
    if (i < 0) continue; // the first only warms the caches
    if (!hookReason(machine).includes('waited') || !stdout.includes('additionalContext')) unanswered++;
    else samples.push({ ms: ended - began, phases: phasesOf(machine.places.log, began, ended) });
  }
  const times = samples.map(({ ms }) => ms);
  return {
    n,
    medianMs: quantile(times, 0.5),
    p90Ms: quantile(times, 0.9),
    unanswered,
    phases: Object.fromEntries(
      PHASES.map((phase, at) => [
        phase,
        quantile(
          samples.map(({ phases }) => phases[at] ?? NaN),
          0.5,
        ),
      ]),
    ) as Record<Phase, number>, // one entry per phase
  };
}

/** Durations between the log lines that end each phase. */
function phasesOf(log: string, began: number, ended: number): readonly number[] {
  const lines = readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { what: string; at: string; bornMs?: number; loadedMs?: number });
  const at = (what: string): number => Date.parse(lines.find((line) => line.what === what)?.at ?? '');
  const up = lines.find(({ what }) => what === 'daemon up');
  const born = up?.bornMs ?? NaN;
  const marks = [
    began,
    born,
    born + (up?.loadedMs ?? NaN),
    at('daemon up'),
    at('event processed'),
    at('answered'),
    ended,
  ];
  return marks.slice(1).map((mark, i) => mark - (marks[i] ?? NaN));
}

function hookReason({ places }: Machine): string {
  return readFileSync(places.hookLog, 'utf8').trimEnd().split('\n').at(-1) ?? '';
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
