/**
 * Delivers an event that the shell could not: asks the daemon if the shell did not, otherwise redacts, spools and starts
 * the daemon. At SessionStart it waits for the answer or uses the last brief.
 */
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { outputFor, translatorOf } from '../agents/wire/index.ts';
import { briefFile, VERSION, type HookInput, type HookName, type Places } from '../core/index.ts';
import {
  ask,
  findSocket,
  isRegularFile,
  printable,
  readTextSync,
  STATE_BYTES,
  type Answer,
  type Sent,
} from '../files/index.ts';
import { toSpooledEvent } from '../privacy/index.ts';
import { answerLimitMs } from './budget.ts';
import type { Outcome } from './log.ts';
import { messageForErrno, notShownLately, withMessages, type MessageCode } from './messages.ts';
import { recordedDaemon } from './replace.ts';
import { isLeftAlone, leaveAlone } from './socket.ts';
import { spool } from './spool.ts';
import { startDaemon, startReplacer, type StartingDaemon } from './start.ts';

/** Interval of looking for the daemon at SessionStart. One look is a few system calls. */
const POLL_MS = 5;

export interface Attempt {
  readonly places: Places;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of hook.cjs. */
  readonly client: string;
  readonly event: HookName;
  /** The agent that the hook names; empty for the plugin's own hooks. */
  readonly agent: string;
  readonly id: string;
  readonly sent: Sent;
  /** In milliseconds of performance.now(). */
  readonly deadline: number;
}

export interface End {
  readonly outcome: Outcome;
  readonly reason: string;
  /** One line of hook JSON to print, or empty. */
  readonly output: string;
}

export async function deliver(attempt: Attempt, body: Buffer): Promise<End> {
  const { places, event, id } = attempt;
  const projectDir = projectDirOf(attempt);
  const message = Buffer.concat([Buffer.from(envelope(attempt, projectDir)), body]);
  const quiet = isLeftAlone(places, Date.now());
  const asked = attempt.sent === 'unsent' && !quiet ? await askOnce(attempt, message) : undefined;
  if (asked?.kind === 'answer') return { outcome: 'delivered', reason: 'asked', output: asked.output };
  const sent = asked?.kind ?? attempt.sent;

  // The shell drops NULs; so does this path.
  const stdin = body
    .toString('utf8')
    .replaceAll('\0', '')
    .replace(/^\ufeff/, '');
  const envelopeOf = {
    attempt: id,
    isFile: isRegularFile,
    ...(projectDir === undefined ? {} : { projectDir }),
  };
  const translate = translatorOf(attempt.agent, event);
  const parsed = toSpooledEvent(stdin, event, envelopeOf, new Date(), translate);
  if (!parsed.ok) return { outcome: 'ignored', reason: parsed.reason, output: '' };
  const { input, agent } = parsed.event;

  const without = (...codes: readonly MessageCode[]): string =>
    outputFor(agent, event, lastWords(attempt, projectDir, input, codes));
  const spooled = spool(places, parsed.event);
  if (spooled.kind === 'failed')
    return { outcome: 'lost', reason: spooled.errno, output: without(messageForErrno(spooled.errno)) };
  if (quiet) return { outcome: 'spooled', reason: 'left alone', output: without() };
  if (sent === 'timed-out') {
    replaceHungDaemon(attempt);
    return { outcome: 'spooled', reason: sent, output: without('timed-out') };
  }
  const daemon = sent === 'rejected' ? undefined : start(attempt);
  if (typeof daemon === 'string') {
    return { outcome: 'spooled', reason: daemon, output: without(daemon) };
  }
  if (event !== 'SessionStart') return { outcome: 'spooled', reason: sent, output: '' };

  const answer = await waitForAnswer(attempt, message, daemon);
  if (answer.kind === 'answer') return { outcome: 'delivered', reason: 'waited', output: answer.output };
  const troubles = answer.kind === 'trouble' ? [answer.code] : [];
  return { outcome: 'spooled', reason: troubles[0] ?? 'no answer in time', output: without(...troubles) };
}

/** Undefined if it does not fit into one line. */
function projectDirOf(attempt: Attempt): string | undefined {
  const folder = ownEnv(attempt)['CLAUDE_PROJECT_DIR'];
  return folder && !folder.includes('\n') ? folder : undefined;
}

/** An agent that was started by Claude Code inherits its variables; its own input names its folder. */
function ownEnv({ agent, env }: Attempt): Attempt['env'] {
  return agent === '' ? env : {};
}

function envelope(attempt: Attempt, projectDir: string | undefined): string {
  const { id, client } = attempt;
  const env = ownEnv(attempt);
  const project = projectDir === undefined ? '' : `project-dir: ${projectDir}\n`;
  const program = client.includes('\n') ? '' : `program: ${dirname(client)}\n`;
  // Claude Code 2.1.197 has only the second variable (sdk-cli, sdk-ts).
  const isUnattended =
    env['CLAUDE_CODE_SESSION_ATTENDED'] === '0' || (env['CLAUDE_CODE_ENTRYPOINT'] ?? '').startsWith('sdk-');
  const unattended = isUnattended ? 'unattended: 1\n' : '';
  const pid = /^\d+$/.test(env['CLAUDE_PID'] ?? '') ? `pid: ${env['CLAUDE_PID']}\n` : '';
  return `attempt: ${id}\nclient: ${VERSION}\n${project}${program}${pid}${unattended}\n`;
}

function pathOf({ event, agent }: Attempt): string {
  return agent === '' ? `/v1/hook/${event}` : `/v1/hook/${event}/${agent}`;
}

async function askOnce(attempt: Attempt, message: Buffer): Promise<Answer | undefined> {
  const socket = findSocket(attempt.places);
  if (!socket) return undefined;
  const granted = answerLimitMs(attempt.event, attempt.env['TIDEMARK_ANSWER_S']);
  const limit = Math.min(granted, attempt.deadline - performance.now());
  return ask(socket, pathOf(attempt), message, limit);
}

/** Lets a separate process replace the hung daemon: a hook has no time to wait. */
function replaceHungDaemon({ places, env, client }: Attempt): void {
  const pid = recordedDaemon(places)?.pid ?? null;
  if (leaveAlone(places, pid, Date.now())) startReplacer(places, env, client);
}

/** Returns undefined if another hook has just started it, or the reason why it cannot start. */
function start({ places, env, client }: Attempt): StartingDaemon | MessageCode | undefined {
  const started = startDaemon(places, env, dirname(client), Date.now());
  switch (started.kind) {
    case 'impossible':
      return started.code;
    case 'started':
      return started.daemon;
    case 'starting':
      return undefined;
  }
}

type Waited =
  | Extract<Answer, { kind: 'answer' }>
  | { readonly kind: 'trouble'; readonly code: MessageCode }
  | { readonly kind: 'late' };

/** The event is in the spool with the same id, so asking again only gets the answer. */
async function waitForAnswer(
  attempt: Attempt,
  message: Buffer,
  daemon: StartingDaemon | undefined,
): Promise<Waited> {
  for (;;) {
    const left = attempt.deadline - performance.now();
    if (left <= 0) return { kind: 'late' };
    const socket = findSocket(attempt.places);
    const answer = socket ? await ask(socket, pathOf(attempt), message, left) : undefined;
    if (answer?.kind === 'answer') return answer;
    if (answer?.kind === 'rejected' && answer.status < 500) return { kind: 'trouble', code: 'refused' };
    if (daemon?.crashed()) return { kind: 'trouble', code: 'daemon-cannot-start' };
    daemon?.retry();
    await delay(Math.min(POLL_MS, Math.max(1, attempt.deadline - performance.now())));
  }
}

/** Returns the output for a session that starts without the daemon: the last brief and messages for the user. */
function lastWords(
  attempt: Attempt,
  projectDir: string | undefined,
  input: HookInput,
  troubles: readonly MessageCode[],
): string {
  if (attempt.event !== 'SessionStart') return '';
  const brief = lastBrief(attempt.places, projectDir, input);
  return withMessages(brief, notShownLately(attempt.places, troubles, Date.now()));
}

/** Returns the last brief of the project as hook output, or nothing: a resumed or forked session has its brief already. */
function lastBrief(places: Places, projectDir: string | undefined, input: HookInput): string {
  const folder = projectDir ?? input.cwd;
  if (!folder || input.source === 'resume' || input.source === 'fork') return '';
  try {
    const output: unknown = JSON.parse(readTextSync(briefFile(places, folder), STATE_BYTES))?.output;
    return typeof output === 'string' ? printable(output) : '';
  } catch {
    return '';
  }
}
