/** The recorded inputs of test/fixtures that cases start from. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures');

export function linesOf(...path: readonly string[]): readonly string[] {
  return readFileSync(join(FIXTURES, ...path), 'utf8')
    .split('\n')
    .filter(Boolean);
}

/** The inputs that clients sent to hooks. */
export function hookInputs(): readonly Record<string, unknown>[] {
  return linesOf('hooks', 'hook-inputs.samples.jsonl').map(
    (line) => (JSON.parse(line) as { input: Record<string, unknown> }).input,
  );
}

/** The lines of each recorded transcript, without those that repeat whole requests. */
export function transcripts(): readonly (readonly string[])[] {
  const names = readdirSync(join(FIXTURES, 'transcripts')).filter((name) => name.endsWith('.jsonl'));
  return names.map((name) => linesOf('transcripts', name).filter((line) => line.length < 3000));
}
