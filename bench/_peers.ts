/** Reads hooks of other tools from a file of cases. Does not ship, install or start those tools. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { inputOf } from './_events.ts';
import type { Case } from './_measure.ts';

/** Long enough for the service behind a hook to finish before the next measurement. */
const SETTLE_MS = 150;

const Peers = v.array(
  v.strictObject({
    name: v.string(),
    version: v.string(),
    event: v.string(),
    /** A remark shown in the row, such as that the client does not wait for the hook. */
    note: v.optional(v.string()),
    command: v.pipe(v.array(v.string()), v.minLength(1)),
    /** Environment variables. PATH, HOME, TMPDIR and CLAUDE_PROJECT_DIR have defaults, which it may replace. */
    env: v.optional(v.record(v.string(), v.string()), {}),
    /** Fields that replace those of the recorded input, such as cwd, transcript_path or tool_name. */
    input: v.optional(v.record(v.string(), v.unknown()), {}),
    rounds: v.optional(v.number()),
    settleMs: v.optional(v.number(), SETTLE_MS),
  }),
);

/** Reads the cases of a file. Missing fields of input and environment get the values of our own cases. */
export function peersIn(
  file: string,
  env: Readonly<Record<string, string>>,
  place: { readonly cwd: string; readonly transcript_path: string },
): Case[] {
  return v.parse(Peers, JSON.parse(readFileSync(file, 'utf8'))).map((peer) => {
    const own = { ...place, ...peer.input };
    return {
      name: `${peer.event}, ${peer.name} ${peer.version}${peer.note ? ` (${peer.note})` : ''}`,
      command: peer.command,
      env: { ...env, CLAUDE_PROJECT_DIR: own.cwd, ...peer.env },
      cwd: own.cwd,
      input: inputOf(peer.event, own),
      after: () => delay(peer.settleMs),
      ...(peer.rounds === undefined ? {} : { rounds: peer.rounds }),
    };
  });
}
