/**
 * Splits a text into sentences: without code, logs, quotations, tables, and without what the client or Tidemark injected
 * into the conversation. Pure.
 */

export interface Sentence {
  readonly text: string;
  readonly from: 'person' | 'agent';
  readonly bullet: boolean;
  /** The heading or `Label:` above it, lower case. */
  readonly label: string;
  /** The heading above it, even if it has its own label. */
  readonly under: string;
  /** Its own label or numbered heading as it was written: `1. **Close the pool** - it leaks` → `Close the pool`. */
  readonly lead: string;
  /** Number of its paragraph. */
  readonly paragraph: number;
  /** Mostly bold. */
  readonly strong: boolean;
}

/** Only the end of a longer text is read, where an agent reports its work. */
const MAX_TEXT = 60_000;
/** A longer text is a sentence, not a label. */
const MAX_LABEL = 40;
/** A longer line is data. */
const MAX_SENTENCE = 600;

export function sentencesOf(text: string, from: Sentence['from']): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let label = '';
  let heading = '';
  let numbered = '';
  let paragraph = 0;
  let open: string[] = [];
  const close = () => {
    const pieces = from === 'person' ? thoughts(open) : [open.join(' ')];
    for (const sentence of pieces.flatMap((piece) => split(piece, from))) add(sentence, false, label);
    if (open.length > 0) paragraph++;
    open = [];
  };
  const add = (raw: string, bullet: boolean, under: string) => {
    if (raw.length > 2 * MAX_SENTENCE || DATA.test(raw)) return;
    const { label: own, lead = numbered, rest } = ownLabel(raw);
    const said = plain(rest);
    if (said !== '' && said.length <= MAX_SENTENCE) {
      const strong = isStrong(raw, said);
      sentences.push({
        text: said,
        from,
        bullet,
        label: own ?? under,
        under: heading,
        lead,
        paragraph,
        strong,
      });
    }
  };
  for (const line of spoken(text).split('\n')) {
    const above = headingOf(line);
    const item = /^\s*(?:[-*+•✅☑✔✓❌✗✘]\uFE0F?|\d{1,2}[.)])\s+(?:\[[ xX]\]\s*)?(.*)$/u.exec(line)?.[1];
    if (above === undefined && item === undefined && line.trim() !== '') {
      open.push(line.trim());
      continue;
    }
    close();
    if (above !== undefined) {
      label = labelText(above);
      const number = /^\W*(?:issue |finding |problem )?#?\d{1,2}[.):]\s+/i.exec(above);
      numbered = number ? plain(above.slice(number[0].length)) : '';
      if (!number) heading = label;
    }
    if (item !== undefined) {
      paragraph++;
      const parts = split(item, from);
      const under = ownLabel((parts[0] ?? '').slice(0, MAX_SENTENCE)).label ?? label;
      parts.forEach((part) => add(part, true, under));
    }
  }
  close();
  return sentences;
}

/** Blocks that the client, a hook or Tidemark injected. */
const INJECTED_TAGS =
  'tidemark-[a-z-]+|system-reminder|task-notification|persisted-output|private|(?:ide|command|local-command|bash|user-prompt)[_-][a-z_-]+';
/** A tag in backticks is only mentioned. */
const INJECTED = new RegExp(`(?<!\`)<(${INJECTED_TAGS})(?:\\s[^>]{0,300})?>[\\s\\S]*?(?:</\\1>|$)`, 'gi');
/** Quotations, tables, rules, prompts of a shell, stack frames, lines with a time stamp or a line number in front. */
const NOT_SPOKEN =
  /^\s*(?:>|\||[-=_*]{3,}\s*$|[$%❯]\s|\d+\s*[→|:]\s|at\s+\S+\s*\(|File "|\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|(?:\[\w+\]\s*)?(?:ERROR|WARN|INFO|DEBUG|TRACE|FATAL)\b|npm (?:ERR|error|warn)|\[Request interrupted|\[Image|\[redacted|\S*Traceback )/;

/** Escaped line breaks and line numbers in the middle: a piece of a file or of JSON. */
const DATA =
  /\\n|\w@[\w-]+ ~?\/|\d→|":\s*["{[]|@@ -\d|[{;}] ?\/\/ |!= nil \{|^(?:if|for|func|return|const|let|var) [^`]*[{(=;]/;

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

/** `## Next steps`, `**Next steps:**`, or a short line that ends with a colon. */
function headingOf(line: string): string | undefined {
  const text =
    /^\s{0,3}#{1,6}\s+(.+)$/.exec(line)?.[1] ??
    /^\s*\*\*([^*]{2,60})\*\*:?\s*$/.exec(line)?.[1] ??
    /^\s*([A-Z][^.!?]{1,60}):\s*$/.exec(line)?.[1];
  return text?.trim();
}

/** `**Root cause:** the lock…` and `Root cause: the lock…` have their own label. */
function ownLabel(sentence: string): {
  readonly label?: string;
  readonly lead?: string;
  readonly rest: string;
} {
  const bold = /^\*\*([^*]{2,90}?):?\*\*(?: ?\([^)]{0,120}\))?\s*[:—–.-]?(?:\s+(?=\S)|$)/.exec(sentence);
  const lead = plain(bold?.[1] ?? '');
  if (bold && lead.length <= MAX_LABEL && /:\*\*|\*\*\s*[:—–-]/.test(bold[0])) {
    const rest = sentence.slice(bold[0].length);
    return rest === '' ? { lead, rest: sentence } : { label: labelText(lead), lead, rest };
  }
  if (bold) return { lead, rest: sentence };
  const bare = /^([A-Z][A-Za-z' -]{2,24}):\s+(?=\S)/.exec(sentence);
  return bare
    ? { label: labelText(bare[1] ?? ''), rest: sentence.slice(bare[0].length) }
    : { rest: sentence };
}

function labelText(text: string): string {
  return plain(text)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A full stop ends a sentence if the next text can begin one; `e.g. x` and `v1.2 x` do not. */
const SENTENCE_END =
  /(?<=[。！？]|(?<!\b(?:e\.g|i\.e|vs|etc|cf|approx|no|dr|mr|st))[.!?]["')\]*]{0,3})\s+(?=[A-Z`"'(\p{Lo}*\p{Emoji_Presentation}])|(?<=[。！？])/u;

/** Chat messages often lack capitals: `why npm? always use pnpm`. */
const CHAT_END = /(?<=[^\s.][.!?…]{1,4}|[。！？])(?<!\b(?:e\.g|i\.e|vs|etc|cf|approx|dr|mr|st)\.)\s+/u;

function split(text: string, from: Sentence['from']): readonly string[] {
  return text.split(from === 'person' ? CHAT_END : SENTENCE_END).filter((part) => part.trim() !== '');
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

function isStrong(raw: string, said: string): boolean {
  const bold = raw.match(/\*\*[^*]+\*\*/g)?.reduce((sum, part) => sum + part.length - 4, 0) ?? 0;
  return bold > said.length / 2;
}

/** Removes Markdown, but keeps backticks, which mark names. */
function plain(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__|~~/g, '')
    .replace(/(^|[\s(])[*_]([^*_\s][^*_]*)[*_](?=[\s).,;:!?]|$)/g, '$1$2')
    .replace(/^\(\d+\)\s*/, '')
    .replace(/^[\s\p{Extended_Pictographic}\uFE0F✓✔✗✘❌→]+/u, '')
    .replace(/\s*(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F)+(?=[\s.,;:!]|$)/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}
