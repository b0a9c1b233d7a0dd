/**
 * Replaces secrets in a text before it is written or sent. Pure, linear in the length of the text, never throws. Never
 * stores or logs a secret.
 */
import { assignmentSpans } from './detectors/assignment.ts';
import { credentialUrlSpans } from './detectors/credential-url.ts';
import { encodedSpans } from './detectors/encoded.ts';
import { highEntropySpans } from './detectors/high-entropy.ts';
import { formatLiterals, knownFormatSpans } from './detectors/known-format.ts';
import { literalScanner, type Hit } from './secrets/literals.ts';
import { kubernetesSpans } from './detectors/kubernetes.ts';
import { loneTokenSpans } from './detectors/lone-token.ts';
import { privateKeySpans } from './detectors/private-key.ts';
import { privateSpans } from './detectors/private-span.ts';
import { NAME_HINTS } from './secrets/secret-name.ts';
import { isRandom } from './secrets/secret-value.ts';
import { SECRET_WORDS, secretWords } from './secrets/secret-words.ts';
import { seedPhraseSpans } from './detectors/seed-phrase.ts';
import { spokenSpans } from './detectors/spoken.ts';
import { tableSpans } from './detectors/table.ts';
import { addCounts, mergeSpans, placeholder, replaceSpans, type Counts, type Span } from './secrets/span.ts';

export interface Redacted {
  readonly text: string;
  /** How many secrets of each type were replaced. */
  readonly counts: Counts;
}

const NAME_TYPE = 'high-entropy';
const MAX_ROUNDS = 4; // a replacement can expose a value next to it; the second round mostly finds nothing

/** `redact('GITHUB_TOKEN=ghp_…')` → `GITHUB_TOKEN=[redacted:github-token]`. Redacting again changes nothing. */
export function redact(text: string): Redacted {
  const { text: clean, counts } = redactFrom(text, 0);
  return { text: clean, counts };
}

/** Redacts the name of a tool: it consists of words, so a random part of it is a secret too. */
export function redactName(name: string): Redacted {
  const { text, counts } = redact(name);
  const found: Record<string, number> = { ...counts };
  const clean = text.replace(/[A-Za-z0-9]{20,}/g, (part) => {
    if (!isRandom(part)) return part;
    addCounts(found, { [NAME_TYPE]: 1 });
    return placeholder(NAME_TYPE);
  });
  return { text: clean, counts: found };
}

/** Redacts a text that begins inside `depth` private spans; returns how many are open at its end. */
export function redactFrom(text: string, depth: number): Redacted & { readonly depth: number } {
  const hidden = privateSpans(text, depth);
  const counts: Record<string, number> = {};
  let open = hidden.depth;
  let out = apply(text, [...hidden.spans, ...secretSpans(text)], counts);
  for (let round = 1; round < MAX_ROUNDS && out !== text; round++) {
    // A replacement can also complete a tag: `<private-----BEGIN …`.
    const more = privateSpans(out, 0);
    const again = apply(out, [...more.spans, ...secretSpans(out)], counts);
    if (again === out) break;
    out = again;
    open += more.depth;
  }
  return { text: out, counts, depth: open };
}

/** Most specific first: where two overlap, the first names the type. */
function secretSpans(text: string): readonly Span[] {
  return [...plainSpans(text), ...encodedSpans(text, plainSpans)];
}

let scanner: ReturnType<typeof literalScanner> | undefined;

/** One pass finds where a detector has to look. */
function scan(text: string): readonly (readonly Hit[])[] {
  scanner ??= literalScanner([
    { literals: formatLiterals(), ignoreCase: false },
    { literals: NAME_HINTS, ignoreCase: true },
    { literals: SECRET_WORDS, ignoreCase: true },
  ]);
  return scanner(text);
}

function plainSpans(text: string): readonly Span[] {
  const [literals = [], hints = [], named = []] = scan(text);
  const words = secretWords(text, named);
  return [
    ...privateKeySpans(text),
    ...knownFormatSpans(text, literals),
    ...credentialUrlSpans(text),
    ...kubernetesSpans(text),
    ...assignmentSpans(text, hints),
    ...highEntropySpans(text),
    ...tableSpans(text, words),
    ...seedPhraseSpans(text, hints),
    ...spokenSpans(text, words),
    ...loneTokenSpans(text),
  ];
}

function apply(text: string, found: readonly Span[], counts: Record<string, number>): string {
  if (found.length === 0) return text;
  const spans = mergeSpans(found);
  for (const span of spans) addCounts(counts, { [span.type]: 1 });
  return replaceSpans(text, spans);
}
