/** Tells whether Codex runs our hooks: only those that its user trusts. `codex exec` never asks, and skips the others silently. */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Finding } from '../../agent.ts';
import { findProgram } from '../../installing/find-program.ts';
import { listHooks, type ListedHook } from './app-server.ts';
import { placesInFile } from './hooks-file.ts';

export interface Trust {
  readonly evidence: string;
  readonly findings: readonly Finding[];
}

/** `text`: the content of the file. */
export async function trustOf(env: NodeJS.ProcessEnv, hooksFile: string, text: string): Promise<Trust> {
  const program = findProgram(env, 'codex');
  if (program === undefined) return { evidence: 'the program codex was not found', findings: [] };
  const listed = await listHooks(program, { env, cwd: dirname(hooksFile) });
  if (listed === undefined) return UNKNOWN;
  const ours = ourHooks(listed, hooksFile, text);
  if (ours.length === 0) return UNUSED;
  const untrusted = ours.filter(({ trust }) => trust !== 'trusted').length;
  const off = ours.filter(({ isEnabled }) => !isEnabled).length;
  const findings: Finding[] = [];
  if (untrusted > 0)
    findings.push({
      text: `Codex does not run ${untrusted} of our ${ours.length} hooks, because they are not trusted yet`,
      next: 'Start codex once and choose "Trust all and continue".',
    });
  if (off > 0)
    findings.push({
      text: `${off} of our ${ours.length} hooks are switched off in Codex`,
      next: 'Switch them on with /hooks in codex.',
    });
  return { evidence: untrusted === 0 ? 'all trusted' : `${untrusted} not trusted`, findings };
}

const UNKNOWN: Trust = {
  evidence: 'trust unknown',
  findings: [{ text: 'Codex did not say which hooks it trusts', next: 'Look at /hooks in codex.' }],
};

const UNUSED: Trust = {
  evidence: 'not in use',
  findings: [{ text: 'Codex lists none of our hooks', next: 'Check features.hooks in config.toml.' }],
};

function ourHooks(listed: readonly ListedHook[], file: string, text: string): readonly ListedHook[] {
  const ours = placesInFile(text).filter((placed) => placed.isOurs);
  return listed.filter(
    ({ key, sourcePath }) =>
      pathsOf(file).includes(sourcePath) &&
      ours.some(({ event, group }) => new RegExp(`:${event}:${group}:\\d+$`).test(key)),
  );
}

/** The path as we name it, and as Codex may: it resolves links. */
export function pathsOf(file: string): readonly string[] {
  try {
    return [...new Set([file, realpathSync(file)])];
  } catch {
    return [file];
  }
}
