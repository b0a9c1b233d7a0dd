/** Runs the real `doctor` and finds a check by its name. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Machine } from '../support/machine.ts';

export interface CheckResult {
  readonly name: string;
  readonly verdict: 'well' | 'note' | 'wrong';
  readonly evidence: string;
  readonly next?: string;
  readonly fixable: boolean;
}

export interface Report {
  readonly code: number | null;
  readonly verdict: string;
  readonly checks: readonly CheckResult[];
  readonly fixed: readonly { readonly name: string; readonly done?: string; readonly failed?: string }[];
  readonly bundle?: { readonly path: string; readonly holds: readonly string[] };
  check(name: string): CheckResult;
}

export async function doctor(machine: Machine, ...args: readonly string[]): Promise<Report> {
  const { stdout, stderr, code } = await machine.cli(['doctor', '--json', ...args]);
  assert.ok(stdout.startsWith('{'), stderr);
  const report = JSON.parse(stdout) as Omit<Report, 'code' | 'check'>;
  const wrong = report.checks.some(({ verdict }) => verdict === 'wrong');
  assert.equal(code, wrong ? 1 : 0, 'the exit code shows whether something is wrong');
  return {
    ...report,
    code,
    check: (name) => {
      const found = report.checks.find((check) => check.name === name);
      assert.ok(found, `${name} among ${report.checks.map((check) => check.name).join(', ')}`);
      return found;
    },
  };
}

export function put(path: string, content: string | object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

/** Puts a Claude Code on the PATH that only prints its version. */
export function putClient(machine: Machine, version = '2.1.325'): void {
  const bin = join(machine.root, 'bin');
  put(join(bin, 'claude'), `#!/bin/sh\necho "${version} (Claude Code)"\n`);
  chmodSync(join(bin, 'claude'), 0o755);
  machine.setEnv({ PATH: [bin, machine.env['PATH']].join(delimiter) });
}
