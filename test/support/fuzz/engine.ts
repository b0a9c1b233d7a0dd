/**
 * A small fuzz engine: a case is a target, a seed and nothing else, so every case can be repeated. A case that breaks a
 * property becomes a finding with the smallest input that still breaks it.
 */
import { randomFrom, type Random } from '../random.ts';

export interface Target {
  /** Unique; also the name of its findings. */
  readonly name: string;
  /** Makes the input of a case. */
  readonly make: (random: Random) => string;
  /** Throws when a property does not hold. `random` gives the same values for the same case, whatever the input. */
  readonly check: (input: string, random: Random) => void | Promise<void>;
  /** Share of the cases of a run, relative to the other targets. Cheap targets take more. */
  readonly weight: number;
}

/** A case that broke a property. Stored as a file, it is the regression test of its fix. */
export interface Finding {
  readonly target: string;
  readonly seed: number;
  readonly input: string;
  readonly message: string;
}

/** The same bug breaks thousands of cases: a few with different messages are enough. */
const MOST_FINDINGS = 5;
/** Attempts to make an input smaller. */
const SHRINK_STEPS = 2000;

/**
 * Runs the cases of the seeds from `from` on. Returns findings with different messages. `slowMs`: more CPU time than this
 * for one case is a finding too; left out, no time is measured.
 */
export async function runCases(
  target: Target,
  from: number,
  count: number,
  { slowMs = Infinity }: { readonly slowMs?: number } = {},
): Promise<readonly Finding[]> {
  const findings = new Map<string, Finding>();
  for (let seed = from; seed < from + count; seed++) {
    const input = inputOf(target, seed);
    const began = slowMs === Infinity ? undefined : process.cpuUsage();
    const message = (await failureOf(target, seed, input)) ?? tooSlow(began, slowMs);
    if (message === undefined) continue;
    if (message.startsWith(SLOW)) {
      findings.set(SLOW, { target: target.name, seed, input, message });
      continue; // making it smaller would take hours
    }
    const kind = kindOf(message);
    if (findings.has(kind)) continue;
    findings.set(kind, await shrunk(target, { target: target.name, seed, input, message }));
    if (findings.size >= MOST_FINDINGS) break;
  }
  return [...findings.values()];
}

/** Runs one stored case again. Returns the message of the property it breaks. */
export function replay(target: Target, { seed, input }: Finding): Promise<string | undefined> {
  return failureOf(target, seed, input);
}

const SLOW = 'slow: ';

function tooSlow(began: NodeJS.CpuUsage | undefined, limit: number): string | undefined {
  if (began === undefined) return undefined;
  const { user, system } = process.cpuUsage(began);
  const ms = Math.round((user + system) / 1000);
  return ms > limit ? `${SLOW}${ms} ms of CPU time` : undefined;
}

function inputOf({ name, make }: Target, seed: number): string {
  return make(randomFrom(mix(name, seed)));
}

async function failureOf({ name, check }: Target, seed: number, input: string): Promise<string | undefined> {
  try {
    const done = check(input, randomFrom(mix(`${name} check`, seed)));
    if (done !== undefined) await done;
    return undefined;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

/** Removes parts of the input as long as a case of the same kind fails. */
async function shrunk(target: Target, finding: Finding): Promise<Finding> {
  const kind = kindOf(finding.message);
  let best = finding;
  let steps = 0;
  for (let size = Math.ceil(best.input.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < best.input.length && steps < SHRINK_STEPS; steps++) {
      const input = best.input.slice(0, at) + best.input.slice(at + size);
      const message = await failureOf(target, finding.seed, input);
      if (message !== undefined && kindOf(message) === kind) best = { ...finding, input, message };
      else at += size;
    }
  }
  return best;
}

/** Messages of one bug differ in the values they quote. */
function kindOf(message: string): string {
  return message.slice(0, 80).split('\n')[0]?.replace(/\d+/g, '0') ?? '';
}

/** FNV-1a over the name, then the seed: targets draw different numbers for the same seed. */
function mix(name: string, seed: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return (hash ^ Math.imul(seed + 1, 0x9e3779b1)) >>> 0;
}
