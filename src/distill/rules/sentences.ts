/**
 * Splits a text into sentences: without code, logs, quotations, tables, and without what the client or Tidemark injected
 * into the conversation. Pure.
 */
import { withoutPasted } from './pasted.ts';

export interface Sentence {
  readonly text: string;
  /** The words as they were written, with their Markdown. */
  readonly raw: string;
  /** The heading or `Label:` above it, lower case. */
  readonly label: string;
  /** The same as it was written. */
  readonly heading: string;
}

/** Only the end of a longer text is read, where an agent reports its work. */
const MAX_TEXT = 60_000;
/** A longer line is data. */
const MAX_SENTENCE = 600;

/** `chat`: the text was typed by a user, often without capitals and full stops. */
export function sentencesOf(text: string, chat: boolean): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let label = NO_LABEL;
  let listed = false;
  let open: string[] = [];
  const close = () => {
    // A paragraph after a list is no longer under the list's heading.
    if (open.length > 0 && listed) label = NO_LABEL;
    const pieces = chat ? thoughts(open) : [open.join(' ')];
    for (const raw of pieces.flatMap((piece) => split(piece, chat))) add(raw, label);
    open = [];
  };
  const add = (raw: string, under: Label) => {
    if (raw.length > 2 * MAX_SENTENCE || DATA.test(raw)) return;
    const own = chat ? undefined : ownLabel(raw);
    const said = plain(own?.rest ?? raw);
    if (said !== '' && said.length <= MAX_SENTENCE)
      sentences.push({ text: said, raw: (own?.rest ?? raw).trim(), ...(own?.label ?? under) });
  };
  for (const line of spoken(chat ? withoutPasted(text) : text).split('\n')) {
    // A user's is from a plan or a file that was pasted.
    const heading = chat ? MARKED_HEADING.exec(line)?.[1] : headingOf(line);
    const [, box, item] = /^\s*(?:[-*+•]|\d{1,2}[.)])\s+(?:\[([ xX])\]\s*)?(.*)$/u.exec(line) ?? [];
    if (heading === undefined && item === undefined && line.trim() !== '') {
      open.push(line.trim());
      continue;
    }
    close();
    if (heading !== undefined) label = chat ? NO_LABEL : labelOf(heading);
    listed = heading === undefined && (listed || item !== undefined);
    if (item !== undefined) split(item, chat).forEach((part) => add(part, box === ' ' ? TO_DO : label));
  }
  close();
  return sentences;
}

/** Blocks that the client, a hook or Tidemark injected. */
const INJECTED_TAGS =
  'tidemark-[a-z-]+|system-reminder|task-notification|persisted-output|private|(?:ide|command|local-command|bash|user-prompt)[_-][a-z_-]+';
/** A tag in backticks is only mentioned. */
const INJECTED = new RegExp(`(?<!\`)<(${INJECTED_TAGS})(?:\\s[^>]{0,300})?>[\\s\\S]*?(?:</\\1>|$)`, 'gi');
/**
 * Quotations, tables, rules, prompts of a shell, stack frames, lines with a time stamp or a line number in front, comments
 * of code, fields and options that a program lists.
 */
const NOT_SPOKEN =
  /^\s*(?:>|\||[-=_*]{3,}\s*$|[$%❯]\s|\d+\s*[→|:]\s|at\s+\S+\s*\(|File "|\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|(?:\[\w+\]\s*)?(?:ERROR|WARN|INFO|DEBUG|TRACE|FATAL)\b|npm (?:ERR|error|warn)|\[Request interrupted|\[Image|\[redacted|\S*Traceback |---- |\*\*\* |\/\/|\/\*|<!--|\+(?: {2,}|\t)\S|-(?: {4,}|\t)\S|Operation stopped by hook|[a-z][a-z-]{2,20}:\t|-{1,2}[a-z][\w-]*(?:[ ,=]\S+)? {2,}\S)/;

/** Escaped line breaks and line numbers in the middle: a piece of a file or of JSON. */
const DATA =
  /\\n|\w@[\w-]+ ~?\/|\d→|":\s*["{[]|@@ -\d|[{;}] ?\/\/ |!= nil \{|^(?:if|for|func|return|const|let|var) [^`]*[{(=;]|^[\w.]+(?:, \w+)* :?= [\w.]+\(/;

export function spoken(text: string): string {
  const tail = text.length > MAX_TEXT ? text.slice(-MAX_TEXT) : text;
  return tail
    .replace(/\r\n?/g, '\n')
    .replace(INJECTED, '\n')
    .split('\n')
    .filter(outsideFences())
    .filter((line) => !NOT_SPOKEN.test(line))
    .join('\n');
}

/** Filters line by line: a fence that is never closed extends to the end. */
function outsideFences(): (line: string) => boolean {
  let open: string | undefined;
  return (line) => {
    const mark = /^[ \t]{0,20}(`{3,}|~{3,})/.exec(line)?.[1];
    if (open === undefined) {
      open = mark;
      return mark === undefined;
    }
    if (mark?.startsWith(open) && line.trim() === mark) open = undefined;
    return false;
  };
}

const MARKED_HEADING = /^\s{0,3}#{1,6}\s+(.+)$/;

/** `## Next steps`, `**Next steps:**`, or a short line that ends with a colon. */
function headingOf(line: string): string | undefined {
  const text =
    MARKED_HEADING.exec(line)?.[1] ??
    /^\s*\*\*([^*]{2,60})\*\*:?\s*$/.exec(line)?.[1] ??
    /^\s*([\p{Lu}\p{Lo}][^.!?]{1,60})[:：]\s*$/u.exec(line)?.[1];
  return text?.trim();
}

/** `**Root cause:** the lock…` and `Root cause: the lock…` have their own label. */
function ownLabel(sentence: string): { readonly label: Label; readonly rest: string } | undefined {
  const match =
    /^\*\*([^*]{2,40}?)(?::\*\*|\*\*\s*[:—–-])\s+(?=\S)/.exec(sentence) ??
    /^([\p{Lu}][\p{L}' -]{1,30})[:：]\s*(?=\S)/u.exec(sentence);
  return match ? { label: labelOf(match[1] ?? ''), rest: sentence.slice(match[0].length) } : undefined;
}

type Label = Pick<Sentence, 'label' | 'heading'>;

const NO_LABEL: Label = { label: '', heading: '' };
/** A box that is not ticked. */
const TO_DO: Label = { label: 'to do', heading: '' };

function labelOf(text: string): Label {
  const heading = plain(text).replace(/[\s:：—–-]+$/, '');
  return { label: lettersOf(heading), heading };
}

function lettersOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A full stop ends a sentence if the next text can begin one; `e.g. x` and `v1.2 x` do not. */
const SENTENCE_END =
  /(?<=[。！？]|(?<!\b(?:e\.g|i\.e|vs|etc|cf|approx|no|dr|mr|st))[.!?]["')\]*]{0,3})\s+(?=[\p{Lu}`"'(\p{Lo}*\p{Emoji_Presentation}])|(?<=[。！？])/u;

/** Chat messages often lack capitals: `why npm? always use pnpm`. */
const CHAT_END =
  /(?<=[^\s.][.!?…]{1,4}|[。！？])(?<!\b(?:e\.g|i\.e|vs|etc|cf|approx|dr|mr|st)\.)\s+|(?<=[。！？])/u;

function split(text: string, chat: boolean): readonly string[] {
  return text.split(chat ? CHAT_END : SENTENCE_END).filter((part) => part.trim() !== '');
}

/** Each line a user types is a sentence, unless the next one continues in lower case. */
function thoughts(lines: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const line of lines) {
    const last = found.at(-1);
    if (last !== undefined && /^\p{Ll}/u.test(line) && !/[.!?:]$/.test(last))
      found[found.length - 1] = `${last} ${line}`;
    else found.push(line);
  }
  return found;
}

/** Removes Markdown, but keeps backticks, which mark names. */
function plain(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__|~~/g, '')
    .replace(/(^|[\s(])[*_]([^*_\s][^*_]*)[*_](?=[\s).,;:!?]|$)/g, '$1$2')
    .replace(/^\(\d+\)\s*/, '')
    .replace(/[‘’]/g, "'")
    .replace(/\[Image #\d+\]/g, '')
    .replace(/^[\s\p{Extended_Pictographic}\uFE0F✓✔✗✘❌→]+/u, '')
    .replace(/\s*(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)+(?=[\s.,;:!]|$)/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}
