/**
 * Shortens the text of a turn for storage and display, with EverMem's filters and two-phase limits. The turn store keeps
 * the full turn. Expects a redacted turn: a cut may leave half a secret that no rule recognises.
 */
import { withoutNotes } from './note-lines.ts';
import type { Turn } from './turn.ts';

export interface StoredText {
  readonly user: string;
  readonly assistant: string;
  /** Characters before anything was cut. */
  readonly userLength: number;
  readonly assistantLength: number;
  readonly truncated: boolean;
}

interface Limits {
  /** No further block is added once the text has reached this. */
  readonly concat: number;
  readonly final: number;
}

// EverMem's numbers, so that memories of both look alike.
const USER_LIMITS: Limits = { concat: 6000, final: 2000 };
const ASSISTANT_LIMITS: Limits = { concat: 15_000, final: 4000 };

const MACHINE_MADE =
  /<(local-command-[a-z]+|system-reminder|command-name|command-message|command-args)>[\s\S]*?<\/\1>/g;
const EMPTY_ANSWER = 'No response requested.';
const BLOCK_BREAK = '\n\n';

/** `storedText(turn).user` → at most 2,000 characters and `[... truncated, original: 5120 chars]`. */
export function storedText(turn: Turn): StoredText {
  const user = spokenText(turn.prompt);
  const assistant = spokenText(withoutNotes(turn.answer));
  return {
    user: limited(user, USER_LIMITS),
    assistant: limited(assistant, ASSISTANT_LIMITS),
    userLength: user.length,
    assistantLength: assistant.length,
    truncated: user.length > USER_LIMITS.final || assistant.length > ASSISTANT_LIMITS.final,
  };
}

/** The text without what the client or a machine added. */
export function spokenText(text: string): string {
  return text
    .replace(MACHINE_MADE, '')
    .split(BLOCK_BREAK)
    .filter((block) => block.trim() !== EMPTY_ANSWER)
    .join(BLOCK_BREAK)
    .trim();
}

function limited(text: string, limits: Limits): string {
  if (text.length <= limits.final) return text;
  const head = withoutHalfCharacter(concatenated(text, limits.concat).slice(0, limits.final));
  return `${head}\n[... truncated, original: ${text.length} chars]`;
}

function concatenated(text: string, limit: number): string {
  const end = text.indexOf(BLOCK_BREAK, limit);
  return end === -1 ? text : text.slice(0, end);
}

function withoutHalfCharacter(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

/** The words of a text in lower case, without punctuation, to compare two texts. */
export function bareWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
