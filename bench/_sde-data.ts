/** Reads the tasks and chats of sde-bench (github.com/vectorize-io/sde-bench) from a folder. Writes nothing and prints nothing of them. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { uuid } from '../test/support/synthetic-transcript.ts';

export interface SdeTurn {
  readonly prompt: string;
  /** Empty if the chat ends with the prompt. */
  readonly answer: string;
}

export interface SdeChat {
  /** The id of its session. */
  readonly session: string;
  readonly turns: readonly SdeTurn[];
}

export interface SdeTask {
  readonly id: string;
  /** `amended`: a later chat replaces the decision of an earlier one. `history`: only git knows the decision. */
  readonly source: 'unamended' | 'amended' | 'history';
  readonly prompt: string;
  /** The decision in force, in a few words of the benchmark's authors. */
  readonly policy: string;
  /** Oldest first. */
  readonly chats: readonly SdeChat[];
}

export interface SdeData {
  readonly tasks: readonly SdeTask[];
  /** Chats that decide nothing. */
  readonly decoys: readonly SdeChat[];
  readonly hash: string;
}

interface Message {
  readonly role: string;
  readonly text: string;
}

interface TaskFile {
  readonly task_id: string;
  readonly source: string;
  readonly bug_report: string;
  readonly policy: string;
  /** The messages of one chat, or those of each chat. */
  readonly conversations?: readonly Message[] | readonly (readonly Message[])[];
}

const SOURCES: Readonly<Record<string, SdeTask['source']>> = {
  conversation: 'unamended',
  'conversation-amended': 'amended',
  history: 'history',
};

export function readSde(folder: string): SdeData {
  const hash = createHash('sha256');
  const read = (file: string): unknown => {
    const text = readFileSync(file, 'utf8');
    hash.update(text);
    return JSON.parse(text);
  };
  const tasks = readdirSync(folder)
    .filter((name) => name.startsWith('boltons-'))
    .toSorted()
    .map((name) => taskOf(read(join(folder, name, 'tasks', 'main', 'task.json')) as TaskFile));
  const decoys = read(join(folder, 'gen', 'decoy_conversations.json')) as readonly {
    readonly turns: readonly Message[];
  }[];
  return {
    tasks,
    decoys: decoys.map(({ turns }, i) => ({ session: uuid('sde decoy', i), turns: turnsOf(turns) })),
    hash: hash.digest('hex').slice(0, 12),
  };
}

function taskOf({ task_id, source, bug_report, policy, conversations = [] }: TaskFile): SdeTask {
  const known = SOURCES[source];
  if (known === undefined) throw new Error(`a task has an unknown source: ${source}`);
  return {
    id: task_id,
    source: known,
    prompt: bug_report,
    policy,
    chats: chatsOf(conversations).map((messages, i) => ({
      session: uuid('sde chat', task_id, i),
      turns: turnsOf(messages),
    })),
  };
}

function chatsOf(
  conversations: readonly Message[] | readonly (readonly Message[])[],
): readonly (readonly Message[])[] {
  if (conversations.length === 0) return [];
  if (conversations.every((one) => Array.isArray(one))) return conversations;
  return [conversations as readonly Message[]];
}

/** A prompt and everything until the next one. */
function turnsOf(messages: readonly Message[]): readonly SdeTurn[] {
  const turns: { prompt: string; answer: string }[] = [];
  for (const { role, text } of messages) {
    const last = turns.at(-1);
    if (role === 'user' || last === undefined) turns.push({ prompt: text, answer: '' });
    else last.answer = [last.answer, text].filter(Boolean).join('\n\n');
  }
  return turns;
}
