/** When each hook was last heard, and from which sessions: for `status` and `doctor`, to whom silence is a symptom. */
import type { HookName, SpooledEvent } from '../../core/index.ts';
import { readTextSync, STATE_BYTES, writeAtomically } from '../../files/index.ts';

/** Written at most this often; a crash loses half a second of it. */
const WRITE_EVERY_MS = 500;
/** More sessions are not worked in at once; what an older one was given stands in the index. */
const KEPT_SESSIONS = 256;

export interface SessionNotes {
  /** What prompts and edits brought back since the session began or was compacted. */
  readonly given: Set<string>;
  since: string;
  promptLength: number;
  /** What is said in it is kept, as far as is known. */
  captured: boolean;
  /** Settles when every edit asked about so far has its answer. */
  edits: Promise<unknown>;
  last: { readonly event: HookName; readonly at: string } | undefined;
}

export class HookActivity {
  readonly #path: string;
  readonly #times: Partial<Record<HookName, string>>;
  readonly #sessions = new Map<string, SessionNotes>();
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#times = readTimes(path);
  }

  take({ at, input }: SpooledEvent): void {
    const before = this.#times[input.hook_event_name];
    // What waited in the inbox comes late.
    if (before === undefined || at > before) this.#times[input.hook_event_name] = at;
    this.session(input.session_id).last = { event: input.hook_event_name, at };
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void writeAtomically(this.#path, JSON.stringify(this.#times), { synced: false }).catch(() => {});
    }, WRITE_EVERY_MS);
  }

  session(id: string): SessionNotes {
    const known = this.#sessions.get(id) ?? {
      given: new Set(),
      since: '',
      promptLength: 0,
      captured: true,
      edits: Promise.resolve(),
      last: undefined,
    };
    this.#sessions.delete(id);
    this.#sessions.set(id, known); // last in the map is the one heard last
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > KEPT_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    return known;
  }

  get times(): Readonly<Partial<Record<HookName, string>>> {
    return this.#times;
  }

  sessions(): readonly { readonly id: string; readonly event: HookName; readonly at: string }[] {
    return [...this.#sessions].flatMap(([id, { last }]) => (last ? [{ id, ...last }] : []));
  }
}

function readTimes(path: string): Partial<Record<HookName, string>> {
  try {
    return JSON.parse(readTextSync(path, STATE_BYTES)) as Partial<Record<HookName, string>>;
  } catch {
    return {};
  }
}
