/**
 * The words for the evidence and the source of a memory, and its short id: the same in the CLI, the MCP server, the hub and the injected
 * text. Pure, and without imports of Node, because the hub's page uses it too.
 */
import { evidenceOf, type Evidence, type Memory, type MemorySource, sourceOf } from '../memory.ts';

export { evidenceOf };
export {
  HASH_LENGTH,
  isMeantBy,
  isWordOrYear,
  mayBeShort,
  SHORT_ID_PATTERN,
  shortId,
  TIME_LENGTH,
} from './short-id.ts';

/** The reader of the words: "you" is the user on a screen, but the agent in its context. */
type Reader = 'user' | 'agent';

const EVIDENCE_WORDS: Readonly<Record<Exclude<Evidence, 'said'>, string>> = {
  shown: 'shown by a test or commit',
  claimed: 'claimed by the agent',
  quoted: 'quoted',
};

const SOURCE_WORDS: Readonly<Record<Exclude<MemorySource, 'user'>, string>> = {
  agent: 'the agent',
  model: 'a language model',
  small: 'the small model on this machine',
  rules: 'rules',
  import: 'imported',
};

type Told = Pick<Memory, 'evidence' | 'provenance' | 'author'>;

/** `said by you`, `said by Ada`, `shown by a test or commit`, `claimed by the agent`, `quoted` */
export function evidenceWords(memory: Told, reader: Reader = 'user'): string {
  const evidence = evidenceOf(memory);
  return evidence === 'said' ? `said by ${personOf(memory, reader)}` : EVIDENCE_WORDS[evidence];
}

/** `you`, `the agent`, `a language model`, `the small model on this machine`, `rules`, `imported` */
export function sourceWords(memory: Told, reader: Reader = 'user'): string {
  const source = sourceOf(memory);
  return source === 'user' ? personOf(memory, reader) : SOURCE_WORDS[source];
}

/**
 * Evidence and source in few tokens, for each line of a list: `user`, `shown`, `agent`, `quoted`, `Ada`,
 * `agent of Ada`. The source follows if it is neither that person nor a language model: `user via rules`.
 */
export function shortOrigin(memory: Told): string {
  const evidence = evidenceOf(memory);
  const source = sourceOf(memory);
  const via = source === SPEAKERS[evidence] || source === 'model' ? '' : ` via ${SHORT_SOURCE[source]}`;
  return `${shortEvidence(evidence, memory.author)}${via}`;
}

const SPEAKERS: Readonly<Partial<Record<Evidence, MemorySource>>> = { said: 'user', claimed: 'agent' };

const SHORT_SOURCE: Readonly<Record<MemorySource, string>> = {
  user: 'user',
  agent: 'agent',
  model: 'model',
  small: 'small model',
  rules: 'rules',
  import: 'import',
};

function shortEvidence(evidence: Evidence, author: string | undefined): string {
  if (evidence === 'said') return author ?? 'user';
  const word = evidence === 'claimed' ? 'agent' : evidence;
  return author === undefined ? word : `${word} of ${author}`;
}

/** The memory with both fields filled in, for JSON. */
export function withOrigin<T extends Memory>(memory: T): T & Origin {
  return { ...memory, evidence: evidenceOf(memory), source: sourceOf(memory) };
}

interface Origin {
  readonly evidence: Evidence;
  readonly source: MemorySource;
}

function personOf({ author }: Told, reader: Reader): string {
  if (author !== undefined) return author;
  return reader === 'user' ? 'you' : 'the user';
}
