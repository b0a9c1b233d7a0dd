/** What was done in a turn: one bugfix, feature or refactor, proved by edits or a commit. Never from words alone. */
import type { MemoryDraft, StoredTurn } from '../model/index.ts';
import { commitsOf, pullRequestsOf, repairsOf, type Commit, type Repair } from './_commands.ts';
import {
  DONE_VERBS,
  FIX_WORDS,
  FOREIGN_FUNCTION_WORDS,
  FUNCTION_WORDS,
  HEDGE,
  NARRATION,
  POINTING,
  REFACTOR_WORDS,
} from './_english.ts';
import { MAX_FILES, editedFiles } from './_files.ts';
import { sentencesOf, type Sentence } from './_sentences.ts';
import { conceptsOf, titleOf, wordsOf } from './_title.ts';

interface Headline {
  readonly title: string;
  readonly source?: Sentence;
  readonly commit?: Commit;
}

/** `said`: the agent's sentences; the one that gave the title is reported, so that nothing is kept twice. */
export function workOf(
  turn: StoredTurn,
  said: readonly Sentence[],
  root: string | undefined,
): { readonly draft: MemoryDraft; readonly source?: Sentence } | undefined {
  const files = editedFiles(turn, root);
  const commits = commitsOf(turn).filter((commit) => !ROUTINE_COMMIT.test(commit.subject));
  if (files.length === 0 && commits.length === 0) return undefined;
  const repairs = repairsOf(turn);
  const headline = headlineOf(said, commits, repairs, files);
  if (headline === undefined) return undefined;
  const body = bodyOf(headline, said);
  const draft: MemoryDraft = {
    kind: kindOf(headline, commits, repairs),
    title: headline.title,
    body,
    facts: [
      ...factsOf(commits, repairs, pullRequestsOf(turn), headline),
      ...siblingsOf(headline.source, said),
    ].slice(0, MAX_FACTS),
    concepts: conceptsOf(headline.title, body),
    files: files.slice(0, MAX_FILES),
  };
  return headline.source ? { draft, source: headline.source } : { draft };
}

const ROUTINE_COMMIT =
  /^(?:(?:chore|style)(?:\(.*\))?!?:|wip\b|merge\b|bump\b|fixup!|squash!|revert "|initial commit$|update$)/i;
const COMMIT_TYPE = /^(?<type>[a-z]+)(?:\((?<scope>[^)]*)\))?!?:\s*/i;

const DONE = new RegExp(
  String.raw`^(?:(?:all |everything is )?(?:done|fixed|complete|clean|good)[.!:,— –-]+)*(?:(?:i|we)(?:'ve| have)?(?: also| now| just| successfully)? |successfully |also |just |now )*(?<verb>${DONE_VERBS})\b (?<rest>.+)`,
  'i',
);
const NOW =
  /^(?:now,? )?(?<what>(?:the |a |an |all |each |every |`)[^,.;]{2,70}? now (?:[a-z]+s|is|are|has|have|can|use|return|show|take|go|run)\b .+)/i;
const PASSIVE = new RegExp(
  String.raw`^(?<what>(?:the |\x60)[^,.;]{2,70}? (?:has been|have been|was|were|is now|are now) (?:${DONE_VERBS})\b.*)`,
  'i',
);

function headlineOf(
  said: readonly Sentence[],
  commits: readonly Commit[],
  repairs: readonly Repair[],
  files: readonly string[],
): Headline | undefined {
  for (const commit of commits) {
    const title = titleOf(commit.subject.replace(COMMIT_TYPE, ''));
    if (title !== undefined) return { title, commit };
  }
  const ending = said.slice(lastIndex(said, (sentence) => NARRATION.test(sentence.text)) + 1);
  const prose = ending.filter((sentence) => !sentence.bullet);
  for (const sentence of [...prose, ...ending, ...said.toReversed()]) {
    const title = doneTitle(sentence);
    if (title !== undefined) return { title, source: sentence };
  }
  if (!isEnglish(said)) return foreignHeadline(said);
  const [repair] = repairs;
  if (repair === undefined || files.length === 0) return undefined;
  return {
    title:
      titleOf(`Made \`${repair.command}\` pass again by changing ${files.slice(0, 2).join(' and ')}`) ?? '',
  };
}

function doneTitle(sentence: Sentence): string | undefined {
  if (HEDGE.test(sentence.text) || NARRATION.test(sentence.text)) return undefined;
  const done = DONE.exec(sentence.text)?.groups;
  if (done) {
    const rest = done['rest'] ?? '';
    const vague = POINTING.test(rest) || NO_OBJECT.test(rest) || wordsOf(rest).length < 3;
    return vague ? undefined : titleOf(`${done['verb']} ${rest}`);
  }
  const state = (NOW.exec(sentence.text) ?? PASSIVE.exec(sentence.text))?.groups?.['what'];
  return state === undefined || POINTING.test(state) ? undefined : titleOf(state);
}

/** "Fixed in all places", "Fixed columns take…", "Created the plan": nothing was named that was done. */
const NO_OBJECT =
  /^(?:in|at|on|to|by|as|so|with|for|from|and|since|columns?|width|size|values?)\b|^(?:the |a |an )?(?:\w+ )?(?:plan|summary|todo list|task list|file|code)\W*$/i;

/** The tables know English only. Elsewhere the first thing the agent said about its work is the title. */
function foreignHeadline(said: readonly Sentence[]): Headline | undefined {
  for (const source of said) {
    const title =
      FOREIGN_NARRATION.test(source.text) || /[?？]\s*$/.test(source.text) ? undefined : titleOf(source.text);
    if (title !== undefined) return { title, source };
  }
  return undefined;
}

const FOREIGN_NARRATION =
  /^(?:让我|讓我|我来|我來|我先|我将|我將|我会|我會|现在|現在|首先|接下来|接下來|まず|次に|では|これから|먼저|이제|다음|ich werde|zuerst|jetzt|lass mich|je vais|d'abord|maintenant|voy a|ahora|primero|déjame|vou |agora|сейчас|сначала|давай)/i;

/** Letters of another script, or more small words of another language than of English. */
function isEnglish(said: readonly Sentence[]): boolean {
  const text = said.map((sentence) => sentence.text.replace(/`[^`]*`/g, ' ')).join(' ');
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (letters > 0 && latin / letters < 0.5) return false;
  const words = wordsOf(text).map((word) => word.toLowerCase());
  const share = (known: ReadonlySet<string>) => words.filter((word) => known.has(word)).length;
  return share(FUNCTION_WORDS) >= share(FOREIGN_FUNCTION_WORDS);
}

function kindOf(
  headline: Headline,
  commits: readonly Commit[],
  repairs: readonly Repair[],
): MemoryDraft['kind'] {
  const type = COMMIT_TYPE.exec((headline.commit ?? commits[0])?.subject ?? '')?.groups?.[
    'type'
  ]?.toLowerCase();
  if (type === 'fix' || type === 'bugfix' || type === 'hotfix') return 'bugfix';
  if (type === 'refactor') return 'refactor';
  if (type === 'feat') return 'feature';
  if (FIX_WORDS.test(headline.title)) return 'bugfix';
  if (REFACTOR_WORDS.test(headline.title)) return 'refactor';
  return repairs.length > 0 && headline.title.startsWith('Made `') ? 'bugfix' : 'feature';
}

const MAX_BODY = 400;
const MAX_BODY_SENTENCES = 3;
const MAX_FACTS = 6;
const MAX_FACT = 200;

function bodyOf(headline: Headline, said: readonly Sentence[]): string {
  if (headline.commit && headline.commit.body !== '') {
    const sentences = sentencesOf(headline.commit.body, 'agent').map((sentence) => sentence.text);
    return joined(sentences.slice(0, MAX_BODY_SENTENCES));
  }
  if (headline.source === undefined) return joined([headline.title]);
  return contextOf(headline.source, said);
}

/** A sentence and what was said right after it. */
export function contextOf(source: Sentence, said: readonly Sentence[]): string {
  const after = said
    .slice(said.indexOf(source) + 1)
    .slice(0, MAX_BODY_SENTENCES)
    .filter((sentence) => sentence.bullet === source.bullet && sentence.paragraph - source.paragraph <= 1)
    .map((sentence) => sentence.text)
    .filter((text) => !NARRATION.test(text) && !text.endsWith('?') && !text.endsWith(':'));
  return joined([source.text, ...after.slice(0, MAX_BODY_SENTENCES - 1)]);
}

function joined(sentences: readonly string[]): string {
  const body: string[] = [];
  for (const sentence of sentences) {
    if (body.length > 0 && body.join(' ').length + sentence.length > MAX_BODY) break;
    body.push(/[.!?。！？:…]$/.test(sentence) ? sentence : `${sentence}.`);
  }
  return body.join(' ');
}

function factsOf(
  commits: readonly Commit[],
  repairs: readonly Repair[],
  pullRequests: readonly string[],
  headline: Headline,
): readonly string[] {
  const others = commits.filter((commit) => commit !== headline.commit || COMMIT_TYPE.test(commit.subject));
  return [
    ...repairs.map(
      ({ command, error }) => `\`${command}\` failed, then passed${error === undefined ? '' : ` (${error})`}`,
    ),
    ...others.map((commit) => `Commit: ${commit.subject}`),
    ...pullRequests.map((title) => `Pull request: ${title}`),
  ];
}

/** A list of changes goes on under its first item, or follows the sentence that announced it. */
function siblingsOf(source: Sentence | undefined, said: readonly Sentence[]): readonly string[] {
  if (source === undefined) return [];
  const after = said.slice(said.indexOf(source) + 1);
  const end = after.findIndex((sentence) => !sentence.bullet || sentence.label !== (after[0]?.label ?? ''));
  const list = end === -1 ? after : after.slice(0, end);
  const firsts = list.filter((item, i) => item.paragraph !== (i === 0 ? source : list[i - 1])?.paragraph);
  return firsts.map((item) => item.text).filter((text) => text.length <= MAX_FACT && !HEDGE.test(text));
}

function lastIndex<T>(items: readonly T[], test: (item: T) => boolean): number {
  return items.findLastIndex(test);
}
