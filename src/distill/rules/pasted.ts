/**
 * Removes what a user pasted from a terminal, a log or a review without marking it: a program or someone else said it, not
 * the user. Looks at paragraphs: one with several lines of a program is pasted from the first of them on, one that
 * introduces something from its colon on, and so are the paragraphs after it until the user speaks again. Pure.
 */

/** Lines of a program that make a paragraph output: one may be the user's own. */
const FEWEST_LINES = 2;

/** A shell's prompt with or without a command: `[main ~/src/app] go test`, `me@box:~/app$ ls`, `PS C:\app> dir`, `$ ls`. */
const SHELL =
  /^\s*(?:\([\w.-]{1,40}\)\s*)?(?:\[[^\]\n]{0,120}[~/][^\]\n]{0,120}\](?:\s|$)|[\w.-]{1,40}@[\w.-]{1,60}[: ]\S{0,120}\s?[$%#>]|PS [A-Z]:\\|[~/]\S{0,120} [$%#❯]|[$%❯➜]\s+\S)/u;

const SYMBOL = String.raw`[\p{Extended_Pictographic}✓✔✗✘⨯●○◆■□▸▶►»─━│┃┌└├╭╰═║]`;
const LEVEL = String.raw`(?:\[\w+\]\s*)?(?:PASS|FAIL(?:ED|URE)?|PASSED|SKIP(?:PED)?|RUN|ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL)\b`;
const FAULT = String.raw`(?:error|warning|fatal|panic|Error|Warning|Traceback|Caused by|\w+(?:Error|Exception))(?:\[\w+\])?:`;
const TIME = String.raw`\[?(?:\d{4}-\d\d-\d\d|\d\d?[/.]\d\d?[/.]\d{2,4}|\d\d:\d\d:\d\d)\b`;
const PLACE = String.raw`\S+\.[a-z]{1,4}:\d+|at\s+\S+\s*\(|File "|goroutine \d`;
const PRINTED = String.raw`\[[\w.-]{2,30}\](?:\s|$)|(?:not )?ok\s+\d|={2,}\s*\w|--- [A-Z]{3,}|\d+\s*[→|]|npm (?:ERR|error|warn)`;
/** A line that a program printed, by how it begins or ends. */
const PRINTED_LINE = new RegExp(
  String.raw`^\s*(?:${SYMBOL}|${LEVEL}|${FAULT}|${TIME}|${PLACE}|${PRINTED})|\[\d+/\d+\]\s*$|\(\d+(?:\.\d+)?m?s\)\s*$`,
  'u',
);
/** The user speaks: in the first or second person, asks, or asks for something. */
const TALK =
  /(?:^|[\s"'(])(?:I|I'm|I've|I'd|we|we're|we've|you|your|my|our|me|us|please|pls|let's|lets|why|what|how|can|could|should|would|don't|dont|ich|wir|du|mir|bitte|warum|wieso|je|nous|vous|pourquoi|nosotros|porque|usted|io|perché|eu|você)(?=[\s,.!?']|$)|[?？]\s*$|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}\p{Script=Cyrillic}]/imu;

const REVIEW =
  /\b(?:feedback|review|comment|suggestion|finding|observation|remark|thoughts|coderabbit|copilot)/i;

/** The user answers a review, which also says "should" and "we". */
const REPLY =
  /^[\s>*-]*(?:I|I'm|I'd|I've|my|you|please|pls|can|could|would|let's|lets|what|why|how|is|are|do|does|so|ok|okay|but|also|yes|no|ich|bitte|kannst|je|peux|yo|por favor)(?=[\s,.!?']|$)|[?？]\s*$/i;

/** "I got this feedback:", "can you take a look at:": a review or a report of someone else follows. */
const INTRODUCES =
  /(?<!\b(?:my|our|some|few|more|couple of|one|two|three) (?:\w+ )?)\b(?:feedback|review|comments?|suggestions?|findings?|observations?|remarks?|reported|(?:look|looking) at|thoughts|coderabbit|copilot|reviewer|says|said|wrote|got)\b[^\n:]{0,60}:(?=\s|$)/i;

export function withoutPasted(text: string): string {
  const paragraphs = text.replace(/\r\n?/g, '\n').split(/\n[ \t]*\n/);
  let isOutput = false;
  let isReview = false;
  return paragraphs
    .map((paragraph, at) => {
      const lines = paragraph.split('\n');
      const first = startOfOutput(lines);
      if (first !== undefined) {
        isOutput = true;
        return lines.slice(0, first).join('\n');
      }
      const lead = INTRODUCES.exec(paragraph);
      if (lead) {
        isOutput = true;
        isReview = REVIEW.test(lead[0]);
        return paragraph.slice(0, lead.index + lead[0].length);
      }
      // The last words are the user's, unless a program printed them.
      const isLast = at === paragraphs.length - 1 && lines.length === 1;
      const isTheirs = isReview ? REPLY.test(paragraph) : TALK.test(paragraph) || isLast;
      if (isTheirs && !lines.some((line) => PRINTED_LINE.test(line))) {
        isOutput = false;
        isReview = false;
      }
      return isOutput ? '' : paragraph;
    })
    .join('\n\n');
}

/** The line from which on a paragraph is output, if it is. */
function startOfOutput(lines: readonly string[]): number | undefined {
  const shell = lines.findIndex((line) => SHELL.test(line));
  if (shell !== -1) return shell;
  const [first = 0, ...others] = lines.flatMap((line, at) => (PRINTED_LINE.test(line) ? [at] : []));
  if (others.length + 1 < FEWEST_LINES || (others.length + 1) * 2 < lines.length - first) return undefined;
  // Indented lines and bullets before it were printed, too.
  return lines.slice(0, first).findLastIndex((line) => !/^(?:[ \t]{2,}|[ \t]*•)\s*\S/.test(line)) + 1;
}
