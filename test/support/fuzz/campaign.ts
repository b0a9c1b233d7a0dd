/**
 * Runs many cases over many runs. `test/fuzz/state.json` has the next seed and the count of each target, so that a run
 * continues where the last one stopped; `docs/fuzz-report.md` is written from it. A finding is stored below
 * `test/fixtures/fuzz`, where `npm test` repeats it.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { writeAtomicallySync } from '../../../src/files/index.ts';
import { replay, runCases, type Finding, type Target } from './engine.ts';
import { TARGETS } from './targets.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const STATE = join(ROOT, 'test', 'fuzz', 'state.json');
const REPORT = join(ROOT, 'docs', 'fuzz-report.md');
const FINDINGS = join(ROOT, 'test', 'fixtures', 'fuzz');
/** Cases of a target with weight 1 before the next target has its turn. */
const SHARE = 40;
/** How often the state is saved: a run that is killed loses at most this much. */
const SAVE_MS = 30_000;
/** CPU time of one case. Inputs have at most some ten thousand characters: linear code takes a hundredth of this. */
const SLOW_MS = 1500;
/** The aim of the project; the report says how far it is. */
const AIM = 10_000_000;
const LONGEST_MESSAGE = 160;

interface TargetState {
  readonly next: number;
  readonly cases: number;
  readonly seconds: number;
}

interface FoundRow {
  readonly target: string;
  readonly seed: number;
  readonly message: string;
  readonly file: string;
  readonly foundOn: string;
}

export interface State {
  readonly targets: Readonly<Record<string, TargetState>>;
  readonly findings: readonly FoundRow[];
}

export interface Limits {
  readonly cases: number;
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly signal?: AbortSignal;
}

/** Runs the targets in turn until a limit is reached. Returns the cases of this run and of all, and the new findings. */
export async function campaign(
  targets: readonly Target[],
  { cases: most, until, signal }: Limits,
  say: (text: string) => void = () => {},
): Promise<{ readonly cases: number; readonly total: number; readonly findings: readonly Finding[] }> {
  let state = readState();
  let cases = 0;
  let saved = Date.now();
  const found: Finding[] = [];
  const stopped = new Set<string>();
  const isOver = (): boolean => cases >= most || Date.now() >= until || (signal?.aborted ?? false);
  while (!isOver() && stopped.size < targets.length) {
    for (const target of targets) {
      if (stopped.has(target.name)) continue;
      const count = Math.max(1, Math.round(SHARE * target.weight));
      const before = state.targets[target.name] ?? { next: 1, cases: 0, seconds: 0 };
      const began = performance.now();
      const findings = await runCases(target, before.next, count, { slowMs: SLOW_MS });
      const seconds = before.seconds + (performance.now() - began) / 1000;
      const after = { next: before.next + count, cases: before.cases + count, seconds };
      state = { ...state, targets: { ...state.targets, [target.name]: after } };
      cases += count;
      if (findings.length > 0) stopped.add(target.name); // the bug has to be fixed first
      for (const finding of findings) {
        found.push(finding);
        state = { ...state, findings: [...state.findings, store(finding)] };
        say(`${target.name}, seed ${finding.seed}: ${finding.message.slice(0, LONGEST_MESSAGE)}`);
      }
    }
    await turnOfEventLoop(); // lets a signal in
    if (Date.now() - saved < SAVE_MS) continue;
    saved = Date.now();
    writeState(state);
    say(`${total(state).toLocaleString('en')} cases`);
  }
  writeState(state);
  await writeReport(state);
  return { cases, total: total(state), findings: found };
}

/** The stored findings of all runs. */
export function storedFindings(): readonly (Finding & { readonly file: string })[] {
  return readdirSync(FINDINGS)
    .filter((name) => name.endsWith('.json'))
    .map((file) => ({ ...(JSON.parse(readFileSync(join(FINDINGS, file), 'utf8')) as Finding), file }));
}

function store(finding: Finding): FoundRow {
  const { target, seed, message } = finding;
  const file = `${target.replaceAll(/\W+/g, '-').toLowerCase()}-${seed}.json`;
  mkdirSync(FINDINGS, { recursive: true });
  writeFileSync(join(FINDINGS, file), `${JSON.stringify(finding, undefined, 2)}\n`);
  const foundOn = new Date().toISOString().slice(0, 10);
  return { target, seed, message: message.slice(0, LONGEST_MESSAGE), file, foundOn };
}

function readState(): State {
  try {
    return JSON.parse(readFileSync(STATE, 'utf8')) as State; // written by writeState
  } catch {
    return { targets: {}, findings: [] };
  }
}

function writeState(state: State): void {
  writeAtomicallySync(STATE, `${JSON.stringify(state, undefined, 2)}\n`);
}

function total({ targets }: State): number {
  return Object.values(targets).reduce((sum, { cases }) => sum + cases, 0);
}

async function writeReport(state: State): Promise<void> {
  const rows = TARGETS.map(({ name }) => {
    const { cases = 0, next = 1, seconds = 0 } = state.targets[name] ?? {};
    const each = cases === 0 ? '' : `${Math.round((seconds * 1e6) / cases)} µs`;
    return `| ${name} | ${cases.toLocaleString('en')} | 1 to ${(next - 1).toLocaleString('en')} | ${each} |`;
  });
  const findings: string[] = [];
  for (const { target, seed, file, foundOn, message } of state.findings)
    findings.push(`| ${foundOn} | ${target} | ${seed} | ${inCell(message)} | ${await outcomeOf(file)} |`);
  const all = total(state);
  const text = [
    '# Fuzzing',
    '',
    'Written by `npm run fuzz` from `test/fuzz/state.json`. A case is a target and a seed: it changes a recorded input and',
    'checks the properties of the target (`test/support/fuzz`). Runs continue where the last one stopped.',
    '',
    `- ${all.toLocaleString('en')} cases in process (aim: ${AIM.toLocaleString('en')})`,
    `- last run: ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, commit ${commit()}, Node ${process.versions.node}`,
    '',
    '| target | cases | seeds | time per case |',
    '|---|---:|---:|---:|',
    ...rows,
    '',
    '## Findings',
    '',
    'Each is stored below `test/fixtures/fuzz` with the smallest input that was found; `npm test` repeats it.',
    '',
    '| found | target | seed | property | now |',
    '|---|---|---:|---|---|',
    ...findings,
    '',
  ];
  writeFileSync(REPORT, text.join('\n'));
}

async function outcomeOf(file: string): Promise<string> {
  const finding = storedFindings().find((one) => one.file === file);
  const target = TARGETS.find(({ name }) => name === finding?.target);
  if (!finding || !target) return 'fixed';
  return (await replay(target, finding)) === undefined ? 'fixed' : '**open**';
}

function inCell(text: string): string {
  return `\`${
    text
      .split('\n')[0]
      ?.replaceAll(/[`|\\]/g, ' ')
      .replaceAll(/[^\x20-\x7e]/g, '?') ?? ''
  }\``;
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  } catch {
    return 'none';
  }
}
