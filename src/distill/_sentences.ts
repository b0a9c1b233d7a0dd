/**
 * The sentences someone really said: without code, logs, quotations, tables, and without what the client or we
 * ourselves put into the conversation. Pure.
 */

export interface Sentence {
  readonly text: string;
  readonly from: 'person' | 'agent';
  readonly bullet: boolean;
  /** The heading or `Label:` it stands under, lower case. */
  readonly label: string;
  /** Which paragraph of the text it stands in. */
  readonly paragraph: number;
}

/** Of a longer text the end is read: that is where an agent says what it did. */
const MAX_TEXT = 60_000;
/** A longer line is data, not something said. */
const MAX_SENTENCE = 600;

export function sentencesOf(text: string, from: Sentence['from']): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let label = '';
  let paragraph = 0;
  let open: string[] = [];
  const close = () => {
    for (const sentence of split(open.join(' '))) add(sentence, false, label);
    if (open.length > 0) paragraph++;
    open = [];
  };
  const add = (raw: string, bullet: boolean, under: string) => {
    if (raw.length > 2 * MAX_SENTENCE) return;
    const { label: own, rest } = ownLabel(raw);
    const said = plain(rest);
    if (said !== '' && said.length <= MAX_SENTENCE) {
      sentences.push({ text: said, from, bullet, label: own ?? under, paragraph });
    }
  };
  for (const line of spoken(text).split('\n')) {
    const heading = headingOf(line);
    const item = /^\s*(?:[-*+•]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s*)?(.*)$/.exec(line)?.[1];
    if (heading === undefined && item === undefined && line.trim() !== '') {
      open.push(line.trim());
      continue;
    }
    close();
    if (heading !== undefined) label = heading;
    if (item !== undefined) {
      paragraph++;
      const parts = split(item);
      const under = ownLabel((parts[0] ?? '').slice(0, MAX_SENTENCE)).label ?? label;
      parts.forEach((part) => add(part, true, under));
    }
  }
  close();
  return sentences;
}

/** Blocks that were put in by the client, by a hook, or by us when we recalled something. */
const INJECTED_TAGS =
  'tidemark-[a-z-]+|system-reminder|task-notification|persisted-output|private|(?:ide|command|local-command|bash|user-prompt)[_-][a-z_-]+';
const INJECTED = new RegExp(`<(${INJECTED_TAGS})(?:\\s[^>]{0,300})?>[\\s\\S]*?(?:</\\1>|$)`, 'gi');
/** Quotations, tables, rules, prompts of a shell, stack frames, lines with a time stamp or a line number in front. */
const NOT_SPOKEN =
  /^\s*(?:>|\||[-=_*]{3,}\s*$|[$%❯]\s|\d+\s*[→|:]\s|at\s+\S+\s*\(|File "|\[?\d{4}-\d\d-\d\d[T ]\d\d:|\[?\d\d:\d\d:\d\d|(?:\[\w+\]\s*)?(?:ERROR|WARN|INFO|DEBUG|TRACE|FATAL)\b|npm (?:ERR|error|warn)|\[Request interrupted|\[Image|\[redacted|\S*Traceback )/;

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

/** Line by line: a fence that is never closed reaches to the end. */
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
  return text === undefined ? undefined : labelText(text);
}

/** `**Root cause:** the lock…` and `Root cause: the lock…` carry their label with them. */
function ownLabel(sentence: string): { readonly label?: string; readonly rest: string } {
  const bold = /^\*\*([^*]{2,40}?):?\*\*\s*[:—–-]?\s+(?=\S)/.exec(sentence);
  if (bold && /:\*\*|\*\*\s*[:—–-]/.test(bold[0])) {
    return { label: labelText(bold[1] ?? ''), rest: sentence.slice(bold[0].length) };
  }
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

/** A full stop ends a sentence when something that can begin one follows; `e.g. x` and `v1.2 x` do not. */
const SENTENCE_END =
  /(?<=[。！？]|(?<!\b(?:e\.g|i\.e|vs|etc|cf|approx|no|dr|mr|st))[.!?]["')\]*]{0,3})\s+(?=[A-Z`"'(\p{Lo}*])|(?<=[。！？])/u;

function split(text: string): readonly string[] {
  return text.split(SENTENCE_END).filter((part) => part.trim() !== '');
}

/** Markdown's marks gone, backticks kept: they show what is a name. */
function plain(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__|~~/g, '')
    .replace(/(^|[\s(])[*_]([^*_\s][^*_]*)[*_](?=[\s).,;:!?]|$)/g, '$1$2')
    .replace(/^\(\d+\)\s*/, '')
    .replace(/^[\s\p{Extended_Pictographic}\uFE0F✓✔✗✘❌→]+/u, '')
    .replace(/\s+/g, ' ')
    .trim();
}
