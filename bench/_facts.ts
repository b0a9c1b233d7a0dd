/** Names the code and the machine that a figure is from. */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** The commit, with `+changes` if a file that counts was changed since. */
export function commit(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const isDirty = git('status', '--porcelain', '--', 'src', 'plugin', 'bench') !== '';
  return git('rev-parse', '--short', 'HEAD') + (isDirty ? '+changes' : '');
}

/** Says nothing that names the machine or its user. */
export function machine(): string {
  const [cpu] = cpus();
  return [
    `${cpus().length} × ${cpu?.model.trim()}`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    `Node ${process.versions.node}`,
    `load ${loadavg()[0]?.toFixed(1)}`,
  ].join(', ');
}
