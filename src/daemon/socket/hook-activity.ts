/** Records when each hook last reported, and from which sessions, for `status` and `doctor`. */
import type { Agent, ClientProcess, HookName, Places, SpooledEvent } from '../../core/index.ts';
import { readTextSync, STATE_BYTES, writeAtomically } from '../../files/index.ts';
import { NO_TALK, withEvent, type RecentTalk } from './_talk.ts';

/** Written at most this often; a crash loses that much. */
const WRITE_EVERY_MS = 500;
/** Far more than are active at once; what an older one was injected is in the index. */
const MAX_SESSIONS = 256;

export interface SessionState {
  /** Memories injected at prompts, reads and edits since the session began or was compacted. */
  readonly injected: Set<string>;
  /** Files whose memories were injected when they were read, and the tokens of all reads, since then. */
  readonly read: Set<string>;
  readTokens: number;
  since: string;
  /** Memories stored in this session that the user has not seen a message about, and those that were named in one. */
  remembered: string[];
  readonly named: Set<string>;
  /** Whether the session is captured, as far as is known. */
  captured: boolean;
  /** Whether a user sees the session, as its last event said. */
  attended: boolean;
  /** The latest words of the user and the agent, which tell what was ordered. */
  talk: RecentTalk;
  /** Memories that stopped a call of the session. */
  readonly stopped: Set<string>;
  /** Settles when every read and edit so far has its answer. */
  files: Promise<unknown>;
  last: { readonly event: HookName; readonly at: string } | undefined;
  client: ClientProcess | undefined;
  /** The answer to a SessionStart that the client dropped: it is injected with the next prompt. */
  late: string;
}

/** The last event of each agent. */
export type AgentEvents = Readonly<Partial<Record<Agent, { readonly event: HookName; readonly at: string }>>>;

export class HookActivity {
  readonly #places: Pick<Places, 'heard' | 'heardAgents'>;
  readonly #times: Partial<Record<HookName, string>>;
  readonly #agents: { -readonly [A in Agent]?: AgentEvents[A] };
  readonly #sessions = new Map<string, SessionState>();
  #timer: NodeJS.Timeout | undefined;

  constructor(places: Pick<Places, 'heard' | 'heardAgents'>) {
    this.#places = places;
    this.#times = { ...stored(places.heard) };
    this.#agents = { ...stored(places.heardAgents) };
  }

  record(event: SpooledEvent): void {
    const { at, agent, input } = event;
    const before = this.#times[input.hook_event_name];
    // Events from the inbox arrive late.
    if (before === undefined || at > before) this.#times[input.hook_event_name] = at;
    if (at > (this.#agents[agent]?.at ?? '')) this.#agents[agent] = { event: input.hook_event_name, at };
    const session = this.session(input.session_id);
    session.last = { event: input.hook_event_name, at };
    session.talk = withEvent(session.talk, event);
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      for (const [path, value] of [
        [this.#places.heard, this.#times],
        [this.#places.heardAgents, this.#agents],
      ] as const)
        void writeAtomically(path, JSON.stringify(value), { synced: false }).catch(() => {});
    }, WRITE_EVERY_MS);
  }

  session(id: string): SessionState {
    const known = this.#sessions.get(id) ?? {
      injected: new Set(),
      read: new Set(),
      readTokens: 0,
      since: '',
      remembered: [],
      named: new Set(),
      captured: true,
      attended: false,
      talk: NO_TALK,
      stopped: new Set(),
      files: Promise.resolve(),
      last: undefined,
      client: undefined,
      late: '',
    };
    this.#sessions.delete(id);
    this.#sessions.set(id, known); // the most recent session is last in the map
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    return known;
  }

  /** Returns the state of a session that sent an event; undefined for others, such as imported ones. */
  known(id: string): SessionState | undefined {
    return this.#sessions.get(id);
  }

  get times(): Readonly<Partial<Record<HookName, string>>> {
    return this.#times;
  }

  get agents(): AgentEvents {
    return this.#agents;
  }

  sessions(): readonly { readonly id: string; readonly event: HookName; readonly at: string }[] {
    return [...this.#sessions].flatMap(([id, { last }]) => (last ? [{ id, ...last }] : []));
  }
}

function stored(path: string): object {
  try {
    const value: unknown = JSON.parse(readTextSync(path, STATE_BYTES));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
