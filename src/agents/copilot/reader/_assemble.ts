/** Assembles turns from Copilot's events in file order. Decides what begins a turn, and when the agent stopped. */
import { given, type TurnOrigin } from '../../../core/index.ts';
import type { Line } from '../../../files/index.ts';
import { objectsIn, textOf, type JsonObject } from '../../reading/json.ts';
import { TurnDraft, type Last } from '../../reading/turn-draft.ts';
import type { TranscriptNotes, TurnRead } from '../../transcript.ts';
import { surroundings, type CopilotEvent, type Surroundings } from './_events.ts';
import { toolResult, toolUse } from './_tools.ts';

const AGENT = 'copilot';
const NO_TIME = '1970-01-01T00:00:00.000Z';
const NOTIFICATION = /^\s*<system_notification>\s*|\s*<\/system_notification>\s*$/g;

interface Options {
  /** The session, if no event of the part read names it. */
  readonly session: string;
  readonly known: Surroundings;
  readonly continues: string | undefined;
  readonly notes: TranscriptNotes;
}

export class CopilotAssembler {
  readonly #options: Options;
  #around: Surroundings;
  #current: TurnDraft | undefined;
  #isEnded = false;
  /** A message of the client after the end of a turn. It begins one if the agent answers it. */
  #waiting: { readonly event: CopilotEvent; readonly line: Line; readonly text: string } | undefined;
  #person: string | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#around = options.known;
    this.#person = options.continues;
  }

  /** Takes the next event; returns a turn that is final. */
  push(event: CopilotEvent, line: Line): TurnRead | undefined {
    this.#around = surroundings(this.#around, event);
    switch (event.type) {
      case 'user.message':
        return event.subagent === undefined ? this.#message(event, line) : undefined;
      case 'system.notification':
        return event.subagent === undefined ? this.#notification(event, line) : undefined;
      case 'assistant.message':
        return this.#answer(event, line);
      case 'tool.user_requested':
        return this.#userCommand(event, line);
      case 'tool.execution_start':
        this.#use(event.data);
        this.#note(event, line);
        return undefined;
      case 'tool.execution_complete':
        this.#result(event, line);
        return undefined;
      case 'session.title_changed':
        this.#options.notes.title = textOf(event.data['title']) ?? this.#options.notes.title ?? '';
        return undefined;
      default:
        if (event.subagent === undefined) this.#end(event, line);
        return undefined;
    }
  }

  /** The turn that the file ends with. */
  finish(): readonly TurnRead[] {
    return this.#current ? [this.#current.read(this.#isEnded)] : [];
  }

  /** A message that was sent while the agent ran is part of the running turn. */
  #message(event: CopilotEvent, line: Line): TurnRead | undefined {
    const { data } = event;
    const text = textOf(data['content'])?.trim() ?? '';
    const isTyped = textOf(data['source']) === undefined && data['isAutopilotContinuation'] !== true;
    if (!isTyped) this.#options.notes.system += 1;
    if (data['delivery'] === 'steering' && this.#current && !this.#isEnded) {
      if (isTyped) this.#current.addPrompt(text);
      this.#note(event, line, 'midway');
      return undefined;
    }
    if (!isTyped) return this.#aside(event, line, text);
    return text === '' ? undefined : this.#begin(event, line, text, 'person');
  }

  #notification(event: CopilotEvent, line: Line): TurnRead | undefined {
    this.#options.notes.system += 1;
    return this.#aside(event, line, (textOf(event.data['content']) ?? '').replace(NOTIFICATION, '').trim());
  }

  /** A message of the client is not the user's; while the agent runs, it is not even a turn. */
  #aside(event: CopilotEvent, line: Line, text: string): undefined {
    if (this.#current && !this.#isEnded) this.#note(event, line, 'midway');
    else if (text !== '') this.#waiting = { event, line, text };
  }

  #answer(event: CopilotEvent, line: Line): TurnRead | undefined {
    const { data, subagent } = event;
    const calls = objectsIn(data['toolRequests']);
    const over = subagent === undefined ? this.#confirm() : undefined;
    if (!this.#current) {
      this.#options.notes.stray += 1;
      return over;
    }
    for (const call of calls) this.#use(call);
    // What a subagent says is the result of the call that started it.
    if (subagent !== undefined) this.#note(event, line);
    else {
      this.#current.say(textOf(data['content'])?.trim() ?? '');
      this.#note(event, line, calls.length > 0 ? 'midway' : 'said', textOf(data['model']));
    }
    return over;
  }

  /** A command that the user ran with `!`. Beside a running turn it is a call of that turn. */
  #userCommand(event: CopilotEvent, line: Line): TurnRead | undefined {
    const use = toolUse(event.data, this.#around.cwd);
    const command = use && textOf(use.input['command']);
    if (command === undefined) return undefined;
    const isBeside = this.#current !== undefined && !this.#isEnded;
    const over = isBeside ? undefined : this.#begin(event, line, `!${command}`, 'person');
    this.#use(event.data);
    return over;
  }

  #result(event: CopilotEvent, line: Line): void {
    const result = toolResult(event.data);
    if (!this.#current || !result) return;
    this.#current.result(result);
    if (result.said !== undefined) this.#current.addPrompt(result.said);
    const isAlone = event.data['isUserRequested'] === true && this.#current.last === 'prompt';
    this.#note(event, line, isAlone ? 'said' : this.#current.last === 'said' ? undefined : 'midway');
    if (isAlone) this.#isEnded = true;
  }

  #end(event: CopilotEvent, line: Line): void {
    if (!this.#current || this.#isEnded) return;
    switch (event.type) {
      case 'assistant.turn_end': // one per step of the model
        if (this.#current.last !== 'said') return;
        break;
      case 'abort':
        this.#note(event, line, 'cut');
        break;
      case 'session.error':
        this.#current.say(textOf(event.data['message']) ?? '', { failed: true });
        this.#note(event, line, 'failed');
        break;
      case 'session.shutdown':
        break;
      default:
        return;
    }
    this.#note(event, line);
    this.#isEnded = true;
  }

  #use(data: JsonObject): void {
    const use = toolUse(data, this.#around.cwd);
    if (use) this.#current?.call(use);
  }

  #note({ id, at }: CopilotEvent, line: Line, last?: Last, model?: string): void {
    this.#current?.note(id, { end: line.end, ...given({ at, last, model }) });
    if (last !== undefined) this.#isEnded = false;
  }

  #confirm(): TurnRead | undefined {
    const { event, line, text } = this.#waiting ?? {};
    return event && line && text ? this.#begin(event, line, text, 'task') : undefined;
  }

  #begin({ id, at }: CopilotEvent, line: Line, prompt: string, origin: TurnOrigin): TurnRead | undefined {
    const over = this.#current?.read(true);
    const { session = this.#options.session, cwd, branch, clientVersion } = this.#around;
    const continues = origin === 'person' ? undefined : this.#person;
    this.#current = new TurnDraft({
      id,
      agent: AGENT,
      session,
      origin,
      prompt,
      at: at ?? NO_TIME,
      start: line.start,
      end: line.end,
      ...given({ cwd, branch, clientVersion, continues }),
    });
    this.#isEnded = false;
    this.#waiting = undefined;
    if (origin === 'person') this.#person = id;
    return over;
  }
}
