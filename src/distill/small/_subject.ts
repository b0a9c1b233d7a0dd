/** Finds what a sentence is about that does not say it: its heading, the changed file, or what the user asked. Pure. */
import { basename } from 'node:path';
import { editedFiles, type MemoryKind, type StoredTurn } from '../../core/index.ts';
import { sentencesOf } from '../rules/sentences.ts';
import { ORDER } from '../rules/talk.ts';
import { titleOf, topicsOf, wordsOf } from '../rules/title.ts';
import { shared } from './_group.ts';
import { userStatement } from './_statement.ts';

/** A turn with what was said before it. */
export interface Scene {
  readonly turn: StoredTurn;
  readonly previous?: StoredTurn | undefined;
  readonly root?: string | undefined;
}

const MIN_WORDS = 3;
const MIN_TOPICS = 2;
const MAX_CHARS = 80;

/** Returns the heading above a sentence if it names something that the title does not: "`findBranch`", not "What changed". */
export function subjectAbove(heading: string, title: string): string | undefined {
  const subject = heading.replace(/^\d+[.):]?\s+/, '');
  if (subject.length > MAX_CHARS || PHASE.test(subject) || shared(subject, title) > 0) return undefined;
  const isNamed = NAME.test(subject) || topicsOf(subject).size >= MIN_TOPICS;
  return isNamed ? subject : undefined;
}

const NAME = /`[^`]+`|\w[._/]\w|[a-z][A-Z]/;

/** A heading that any report may have. */
const PHASE =
  /^(?:what|why|how|where|the|key|main|other|also|notes?|summary|overview|changed?|changes|fix|fixes|fixed|root|cause|problem|issue|solution|results?|status|tests?|testing|verification|verified|validation|next|open|remaining|known|done|to ?do|files?|details?|implementation|background|context|step|phase|part|option|recommendation|suggestion|decision|question|answer|conclusion|findings?|observation|current|before|after|new|updated?|added|removed|modified|created|design|approach|trade-?offs?|pros|cons|benefits|impact|risk|caveats?|limitations?|bottom line|in short|tl;?dr|critical|major|minor|important|high|medium|low)\b/i;

/** Returns the request of this turn, or of the one before if this prompt only agrees; what was tried, for a dead end. */
export function subjectAsked(kind: MemoryKind, { turn, previous }: Scene): string | undefined {
  for (const one of [turn, previous]) {
    if (one === undefined || one.origin !== 'person') continue;
    const [best] = sentencesOf(one.prompt, true)
      .map(({ text }) => userStatement(text).replace(/[?.!\s]+$/, ''))
      .filter((text) => text.length <= MAX_CHARS && wordsOf(text).length >= MIN_WORDS && !CHATTY.test(text))
      .filter((text) => kind === 'dead_end' || !ORDER.test(text))
      .filter((text) => topicsOf(text).size >= MIN_TOPICS)
      .toSorted((a, b) => topicsOf(b).size - topicsOf(a).size);
    const text = best && titleOf(best, MIN_WORDS);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Returns the file that the turn changed, if it is clear which one a statement is about: "resume.go". */
export function subjectFile(said: string, { turn, root }: Scene): string | undefined {
  const names = editedFiles(turn, root)
    .map((file) => basename(file))
    .filter((name) => !NO_SUBJECT.test(name));
  const words = topicsOf(said.replace(/[`*]/g, ' '));
  const named = names.filter((name) => partsOf(name).some((part) => words.has(part)));
  const [name, ...others] = new Set(named.length > 0 ? named : names);
  return others.length === 0 && name !== undefined && !said.includes(name) ? name : undefined;
}

/** A test or a document is rarely what a change is about. */
const NO_SUBJECT = /[._-](?:test|spec)s?\.|^test_|_test\.|\.(?:md|mdx|txt|rst|json|ya?ml|lock|snap)$/i;

/** `resume_log.go` → `resume`, `log` */
function partsOf(file: string): readonly string[] {
  return file
    .replace(/\.\w+$/, '')
    .split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u)
    .map((part) => part.toLowerCase())
    .filter((part) => part.length > 2);
}

/** Talks to the agent, or points at something else: "Now check again", "I think it is fine". */
const CHATTY =
  /\b(?:i|i'm|i've|we|you|your|my|it|its|it's|this|that|these|those|them|again|also|still|so far|please|let's|lets|here|why|what|how|when|where|below|above)\b|\(|…|^[^\p{L}`]/iu;
