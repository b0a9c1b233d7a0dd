/**
 * Kills a live daemon, round by round, and records the phase that each kill hit. Half of the rounds send events straight to
 * the socket, as the shell hook does, and kill while they are acknowledged. An event without an acknowledgement is sent
 * again with the same id, as the hook's second path does.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { HookName } from '../../src/core/index.ts';
import { daemonPid, isAlive } from '../support/daemon.ts';
import { leaksIn } from '../support/leaks.ts';
import type { HookFields, Machine } from '../support/machine.ts';
import type { Random } from '../support/random.ts';
import { memoriesOf } from '../support/stored.ts';
import { inventedDecision, uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';
import type { CrowdTurn } from './_crowd.ts';
import type { Sent } from './_intact.ts';

const LANES = 4;
/** An acknowledgement takes a few milliseconds; an instant below this falls before, during or after it. */
const ACKNOWLEDGE_MS = 6;
/** Until a daemon that was just started listens. */
const START_MS = 350;
/** A turn is processed within this time, a call answered. */
const WORK_MS = 60;
/** Of the events that were not acknowledged, the hook sends most again; it may also be killed itself. */
const SENT_AGAIN = 0.8;

interface Delivery {
  readonly id: string;
  readonly name: HookName;
  readonly fields: HookFields;
  acknowledged: boolean;
}

interface LaneTurn {
  readonly word: string;
  readonly promptId: string;
  readonly prompted: Delivery;
  readonly stopped: Delivery;
}

/** A call whose effect is checked at the end. */
interface Change {
  readonly word: string;
  remembered: 'yes' | 'unknown';
  id?: string;
  forgotten?: 'yes' | 'unknown';
}

export class KillRounds {
  readonly phases = new Map<string, number>();
  readonly #machine: Machine;
  readonly #random: Random;
  readonly #lanes: readonly { readonly session: string; readonly turns: LaneTurn[]; waiting: Delivery[] }[];
  readonly #changes: Change[] = [];

  constructor(machine: Machine, random: Random) {
    this.#machine = machine;
    this.#random = random;
    this.#lanes = Array.from({ length: LANES }, (_, n) => ({
      session: uuid('lane', n, random.next()),
      turns: [],
      waiting: [],
    }));
  }

  /** Runs one round. It counts when the daemon was alive at the moment of the signal; until then it is repeated. */
  async run(when: 'socket' | 'any time'): Promise<void> {
    for (let phase; phase === undefined;) {
      phase = when === 'socket' ? await this.#duringAcknowledgement() : await this.#atAnyTime();
      if (phase !== undefined) this.phases.set(phase, (this.phases.get(phase) ?? 0) + 1);
    }
  }

  /** Sends what a hook would still send, and ends the sessions: only then is the last turn of each stored. */
  async settle(): Promise<NonNullable<Sent['ends']>> {
    await this.#machine.up();
    return Promise.all(
      this.#lanes.map(async ({ session, waiting }) => {
        const fields = { session_id: session, reason: 'other' };
        const end: Delivery = { id: uuid(session, 'end'), name: 'SessionEnd', fields, acknowledged: false };
        for (const delivery of [...waiting, end]) await this.#send(delivery);
        return { session, event: eventOf(end) };
      }),
    );
  }

  get turns(): readonly CrowdTurn[] {
    return this.#lanes.flatMap(({ session, turns }) =>
      turns.map(({ word, promptId, prompted, stopped }) => ({
        session,
        hasTranscript: false,
        word,
        promptId,
        prompted: eventOf(prompted),
        stopped: eventOf(stopped),
      })),
    );
  }

  /** Every acknowledged `remember` is stored once, every acknowledged `forget` nowhere on disk. */
  async assertCalls(t: TestContext): Promise<void> {
    await t.test('every acknowledged change by a call has its effect once', async () => {
      const memories = await memoriesOf(this.#machine);
      const { home } = this.#machine.places;
      for (const { word, remembered, forgotten } of this.#changes) {
        const count = memories.filter(({ title }) => title.includes(word)).length;
        assert.ok(count <= 1, `${word}: ${count} entries`);
        if (forgotten === 'yes') assert.deepEqual(leaksIn(home, [{ name: word, text: word }]), []);
        else if (remembered === 'yes' && forgotten === undefined) assert.equal(count, 1, `${word} is lost`);
      }
    });
  }

  /** Every lane sends a prompt and a stop. The kill comes at an acknowledgement, or shortly after an event was sent. */
  async #duringAcknowledgement(): Promise<string | undefined> {
    const pid = await this.#livePid();
    const onAnswer = this.#random.below(2) === 0;
    const nth = 1 + this.#random.below(LANES * 2);
    const waitMs = this.#random.next() * ACKNOWLEDGE_MS;
    let seen = 0;
    let answered = 0;
    let hit: boolean | undefined;
    const kill = (): void => void (hit ??= killed(pid));
    const later = (): void => void (++seen === nth && setTimeout(kill, waitMs));
    const on = {
      ...(onAnswer ? {} : { sent: later }),
      answered: () => {
        answered += hit === undefined ? 1 : 0;
        if (onAnswer && answered === nth) kill();
      },
    };
    await Promise.all(this.#lanes.map((_, lane) => this.#laneTurn(lane, on)));
    if (hit === undefined) kill();
    await gone(pid);
    return hit ? this.#socketPhase(answered) : undefined;
  }

  #socketPhase(answered: number): string {
    const unanswered = this.#lanes.flatMap(({ waiting }) => waiting);
    const { home } = this.#machine.places;
    const found = leaksIn(
      home,
      unanswered.map(({ id }) => ({ name: id, text: id })),
    );
    const isStored = ({ id }: Delivery): boolean => found.some((where) => where.endsWith(id));
    if (unanswered.some(isStored)) return 'socket: an event is stored, its acknowledgement not sent';
    if (answered > 0 && unanswered.length > 0) return 'socket: between two acknowledgements';
    return answered > 0 ? 'socket: right after an acknowledgement' : 'socket: received, nothing stored yet';
  }

  async #atAnyTime(): Promise<string | undefined> {
    switch (this.#random.below(7)) {
      case 0:
      case 1:
        return this.#duringStart();
      case 2:
        return this.#duringCall('writing a memory', () => this.#remember());
      case 3:
        return this.#duringCall('forgetting and compacting', () => this.#forget());
      case 4:
        return this.#duringCall('rebuilding the index', () => this.#machine.call('reindex', {}));
      case 5:
        return this.#duringCall('sweeping', () => this.#machine.call('sweep', {}));
      default:
        return this.#duringWork();
    }
  }

  async #duringStart(): Promise<string | undefined> {
    const pid = daemonPid(this.#machine.places);
    if (pid !== undefined) {
      killed(pid);
      await gone(pid);
    }
    const { pid: started } = this.#machine.startDaemon();
    await delay(this.#random.next() * START_MS);
    const isListening = daemonPid(this.#machine.places) === started;
    const hit = killed(started);
    await gone(started);
    if (!hit) return undefined;
    return isListening ? 'start-up: listening, catching up' : 'start-up: opening the stores';
  }

  /** Sends turns and kills while they are distilled, written and indexed. */
  async #duringWork(): Promise<string | undefined> {
    const pid = await this.#livePid();
    await Promise.all(this.#lanes.map((_, lane) => this.#laneTurn(lane)));
    await delay(this.#random.next() * WORK_MS);
    const hit = killed(pid);
    await gone(pid);
    return hit ? 'processing: events are distilled, written and indexed' : undefined;
  }

  async #duringCall(name: string, call: () => Promise<unknown>): Promise<string | undefined> {
    const pid = await this.#livePid();
    let isAnswered = false;
    const answer = call().then(
      () => (isAnswered = true),
      () => {}, // the daemon was killed
    );
    await Promise.race([answer, delay(this.#random.next() * WORK_MS)]);
    const wasAnswered = isAnswered;
    const hit = killed(pid);
    await Promise.all([gone(pid), answer]);
    if (!hit) return undefined;
    return wasAnswered ? `${name}: right after the answer` : name;
  }

  async #remember(): Promise<void> {
    const { word, text } = inventedDecision(`call ${this.#lanes[0]?.session} ${this.#changes.length}`);
    const change: Change = { word, remembered: 'unknown' };
    this.#changes.push(change);
    const draft = { kind: 'decision', title: text, body: '', facts: [], concepts: [], files: [] } as const;
    const memory = await this.#machine.call('remember', { draft, dir: this.#machine.project });
    change.id = memory.id;
    change.remembered = 'yes';
  }

  async #forget(): Promise<void> {
    const change = this.#changes.find(({ id, forgotten }) => id !== undefined && forgotten === undefined);
    if (change?.id === undefined) return this.#remember();
    change.forgotten = 'unknown';
    await this.#machine.call('forget', { ids: [change.id], now: true });
    change.forgotten = 'yes';
  }

  async #laneTurn(lane: number, on: Parameters<Machine['deliver']>[3] = {}): Promise<void> {
    const own = this.#lanes[lane];
    if (!own) return;
    const { session, turns } = own;
    const n = turns.length;
    const { word, text: prompt } = inventedDecision(`${session} ${n}`);
    const promptId = uuid(session, 'prompt-id', n);
    const make = (name: HookName, fields: Readonly<Record<string, unknown>>): Delivery => ({
      id: uuid(session, name, n),
      name,
      fields: { session_id: session, prompt_id: promptId, ...fields },
      acknowledged: false,
    });
    const prompted = make('UserPromptSubmit', { prompt });
    const stopped = make('Stop', { last_assistant_message: `Done (step ${n}).`, stop_hook_active: false });
    turns.push({ word, promptId, prompted, stopped });
    const again = own.waiting.filter(() => this.#random.next() < SENT_AGAIN);
    own.waiting = [];
    // In order, because the order of a session's events matters.
    for (const delivery of [...again, prompted, stopped]) {
      await this.#send(delivery, on);
      if (!delivery.acknowledged) own.waiting.push(delivery);
    }
  }

  async #send(delivery: Delivery, on: Parameters<Machine['deliver']>[3] = {}): Promise<void> {
    const { name, fields, id } = delivery;
    const answer = await this.#machine.deliver(name, fields, { attempt: id }, on).catch(() => undefined);
    if (answer?.status === 200) delivery.acknowledged = true;
  }

  async #livePid(): Promise<number> {
    await this.#machine.up();
    const pid = daemonPid(this.#machine.places);
    assert.ok(pid !== undefined, 'a daemon runs');
    return pid;
  }
}

function eventOf({ id, name, acknowledged }: Delivery): CrowdTurn['prompted'] {
  return { id, name, ended: acknowledged };
}

/** Sends SIGKILL. Returns whether the process was alive at that moment. */
function killed(pid: number): boolean {
  if (!isAlive(pid)) return false;
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<void> {
  await waitFor('the daemon to be gone', () => !isAlive(pid), { poll: 5 });
}
