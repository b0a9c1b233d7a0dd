/** Other tools' hooks, read from a file of cases. Nothing of theirs is shipped, installed or started here. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { inputOf } from './_events.ts';
import type { Case } from './_measure.ts';

/** Long enough for a small service behind a hook to end its work before the next hook is measured. */
const SETTLE_MS = 150;

const Peers = v.array(
  v.strictObject({
    name: v.string(),
    version: v.string(),
    event: v.string(),
    /** What a reader of the row must know, such as that the client does not wait for it. */
    note: v.optional(v.string()),
    command: v.pipe(v.array(v.string()), v.minLength(1)),
    /** The whole environment beside PATH, HOME, TMPDIR and CLAUDE_PROJECT_DIR, which it may replace. */
    env: v.optional(v.record(v.string(), v.string()), {}),
    /** Fields of the event's input instead of the recorded ones: cwd and transcript_path of its own, a tool_name. */
    input: v.optional(v.record(v.string(), v.unknown()), {}),
    rounds: v.optional(v.number()),
    settleMs: v.optional(v.number(), SETTLE_MS),
  }),
);

/** The cases in the file; what one leaves out of its input and environment is as for our own. */
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
