/**
 * The answers of `bench:help`: recorded in one file that is committed, or in a folder where requests wait for them.
 * Never answers a request.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answered, Condition } from './help-score.ts';

export const RECORDED = 'answers.json';

/** A request in one condition, known by its hash. */
export interface Asked extends Omit<Answered, 'answer'> {
  readonly hash: string;
  readonly request: { readonly system: string; readonly prompt: string; readonly session: string };
}

export interface RecordedAnswer {
  readonly hash: string;
  readonly project: string;
  readonly task: string;
  readonly condition: Condition;
  /** Tokens of the context that the request had. */
  readonly tokens: number;
  readonly answer: string;
}

export interface Recorded {
  /** The commit that made the contexts. */
  readonly commit: string;
  readonly answers: readonly RecordedAnswer[];
}

/** Returns the recorded answers beside the tasks; none if there is no such file. */
export function recordedIn(folder: string): Recorded {
  const file = join(folder, RECORDED);
  // Written by record().
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Recorded)
    : { commit: 'none', answers: [] };
}

export function record(file: string, commit: string, answered: readonly (Asked & Answered)[]): void {
  const answers = answered.map(({ hash, project, task, condition, tokens, answer }): RecordedAnswer => ({
    hash,
    project,
    task: task.id,
    condition,
    tokens,
    answer,
  }));
  writeFileSync(file, `${JSON.stringify({ commit, answers }, null, 1)}\n`);
}

/** Returns the answers known so far, first those of the folder. */
export function known(
  asked: readonly Asked[],
  { answers }: Recorded,
  folder: string | undefined,
): readonly (Asked & Answered)[] {
  const byHash = new Map(answers.map(({ hash, answer }) => [hash, answer]));
  return asked.flatMap((one) => {
    const answer = replyIn(folder, one.hash) ?? byHash.get(one.hash);
    return answer === undefined ? [] : [{ ...one, answer }];
  });
}

/** Writes requests into the folder, where they wait. */
export function leave(folder: string, requests: readonly Asked[]): void {
  mkdirSync(folder, { recursive: true });
  for (const { hash, request } of requests)
    writeFileSync(join(folder, `${hash}.request.json`), `${JSON.stringify(request, null, 1)}\n`);
}

function replyIn(folder: string | undefined, hash: string): string | undefined {
  const file = folder === undefined ? '' : join(folder, `${hash}.reply.txt`);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}
