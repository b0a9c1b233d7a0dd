/**
 * Finds the work of a turn: one bugfix, feature or refactor (or a discovery, if the answer reports only that), proved by
 * edits, a commit, or a report of finished work if the recording has no tool calls at all. Pure.
 */
import type { MemoryDraft, StoredTurn } from '../../core/index.ts';
import { FIX_WORDS, HEDGE, NAMED, NARRATION, REFACTOR_WORDS, TROUBLE } from './_english.ts';
import type { Finding } from './_findings.ts';
import { COMMIT_TYPE, committed, completed, planned, reported, type Headline } from './_headline.ts';
import { foreignTitle, isEnglish } from './_language.ts';
import { commitsOf, pullRequestsOf, repairsOf, type Commit, type Repair } from './commands.ts';
import { MAX_FILES, editedFiles } from './files.ts';
import { sentencesOf, type Sentence } from './sentences.ts';
import { conceptsOf, titleOf, wordsOf } from './title.ts';

export interface Work {
  readonly draft: MemoryDraft;
  readonly source?: Sentence;
  /** One small edit, without a commit, a check or several files as evidence of its worth. */
  readonly small: boolean;
}

/** `said`: the agent's sentences; the source of the title is returned, so that nothing is stored twice. */
export function workOf(
  turn: StoredTurn,
  said: readonly Sentence[],
  finding: Finding | undefined,
  root: string | undefined,
): Work | undefined {
  const files = editedFiles(turn, root);
  const commits = commitsOf(turn).filter((commit) => !ROUTINE_COMMIT.test(commit.subject));
  const repairs = repairsOf(turn);
  if (files.length === 0 && commits.length === 0 && !isReported(turn, said) && !isCured(turn))
    return undefined;
  const told = committed(commits) ?? planned(turn) ?? headlineOf(turn, said, finding, repairs, files);
  if (told === undefined) return undefined;
  const made = kindOf(turn, told, commits, repairs);
  const isFinding = told.source !== undefined && told.source === finding?.source;
  const kind = isFinding && made !== 'bugfix' ? 'discovery' : made;
  const headline = kind === 'bugfix' ? named(told, finding) : told;
  const body = bodyOf(headline, said, kind === 'bugfix' ? finding : undefined);
  const draft: MemoryDraft = {
    kind,
    title: headline.title,
    body,
    facts: [
      ...factsOf(commits, repairs, pullRequestsOf(turn), headline),
      ...siblingsOf(headline.source, said),
    ].slice(0, MAX_FACTS),
    concepts: conceptsOf(headline.title, body),
    files: files.slice(0, MAX_FILES),
  };
  const small = commits.length === 0 && repairs.length === 0 && files.length <= 2 && said.length <= 3;
  return headline.source ? { draft, source: headline.source, small } : { draft, small };
}

const ROUTINE_COMMIT =
  /^(?:(?:chore|style)(?:\(.*\))?!?:|wip\b|merge\b|bump\b|fixup!|squash!|revert "|initial commit$|update$)/i;

/** The agent reports at the end that it is finished and verified. */
const FINISHED =
  /^done\b|\b(?:all|full|\d+) (?:\w+ ){0,2}(?:tests?|suites?) (?:now )?(?:pass|green)|\b(?:tests?|suites?|build|lint(?:er)?|golangci-lint|typecheck|tsc) (?:is |are |all |now )*(?:pass(?:es|ing)?|succeeds?|clean|green)\b|\b0 (?:lint )?(?:issues|errors|failures)\b|^here(?:'s| is) (?:a summary of )?what (?:i |was |has |have )?(?:been )?(?:changed|did|done|implemented|added|built)/i;
const FINISHED_LABEL =
  /^(?:all tests pass(?:ing)?|changes made|what (?:i|was) (?:changed|did|done|implemented)|what changed|summary of changes|changes)$/;
/** Without tool calls, only the texts show the size of the work: request, report and list of changes. */
const REPORT = { least: 300, long: 900, request: 12, changes: 3, enough: 2 } as const;

function weightOf(turn: StoredTurn, said: readonly Sentence[]): number {
  const ending = said.slice(said.findLastIndex((sentence) => NARRATION.test(sentence.text)) + 1);
  return (
    (wordsOf(turn.prompt.slice(0, MAX_ASKED)).length >= REPORT.request ? 1 : 0) +
    (turn.answer.length >= REPORT.long ? 1 : 0) +
    (ending.filter((sentence) => sentence.bullet).length >= REPORT.changes ? 1 : 0)
  );
}

/** How much of the end of an answer shows its outcome. */
const LAST_SENTENCES = 25;

function isReported(turn: StoredTurn, said: readonly Sentence[]): boolean {
  if (turn.tools.length > 0 || turn.outcome !== 'answered' || turn.origin !== 'person') return false;
  if (turn.answer.length < REPORT.least || weightOf(turn, said) < REPORT.enough) return false;
  return said
    .slice(-LAST_SENTENCES)
    .some((sentence) => FINISHED.test(sentence.text) || FINISHED_LABEL.test(sentence.label));
}

/** Something failed, and commands that change things succeeded after it. */
function isCured(turn: StoredTurn): boolean {
  const failed = turn.tools.findIndex((tool) => tool.command !== undefined && tool.status === 'error');
  if (failed < 0 || turn.outcome !== 'answered') return false;
  return turn.tools
    .slice(failed + 1)
    .some((tool) => tool.status === 'ok' && CHANGES_STATE.test(tool.command ?? ''));
}

const CHANGES_STATE =
  /^\s*(?:sudo |cd \S+ && )*(?:terraform (?:import|apply|state)|helm (?:upgrade|install|rollback)|kubectl (?:apply|patch|set|scale|rollout)|docker (?:compose )?(?:up|build|restart)|systemctl (?:restart|enable)|(?:pnpm|npm|yarn) (?:add|remove|up|install|dedupe)|pip install|cargo update|go mod tidy|psql\b.*-c|ansible-playbook)\b/;

function headlineOf(
  turn: StoredTurn,
  said: readonly Sentence[],
  finding: Finding | undefined,
  repairs: readonly Repair[],
  files: readonly string[],
): Headline | undefined {
  const english = isEnglish(said.map((sentence) => sentence.text));
  if (!english) return foreignTitle(said);
  const done = reported(turn, said);
  if (done !== undefined) return done;
  if (files.length === 0) return undefined;
  if (finding !== undefined) return { title: finding.title, source: finding.source };
  const complete = files.length > 2 ? completed(said, files) : undefined;
  if (complete !== undefined) return complete;
  const [repair] = repairs;
  const title =
    repair && titleOf(`Made \`${repair.command}\` pass again by changing ${files.slice(0, 2).join(' and ')}`);
  return title === undefined ? undefined : { title };
}

/** A fix that names nothing gets its cause as title: `I now swap it in one step` → `The crash comes from Feed.item`. */
function named(told: Headline, finding: Finding | undefined): Headline {
  if (!finding?.cause || told.source === undefined || NAMED.test(told.title) || !NAMED.test(finding.title))
    return told;
  return { ...told, title: finding.title };
}

function kindOf(
  turn: StoredTurn,
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
  const asked = turn.origin === 'person' ? turn.prompt.slice(0, MAX_ASKED) : '';
  if (REFACTOR_WORDS.test(headline.title))
    return TROUBLE.test(asked) && !REFACTOR_WORDS.test(asked) ? 'bugfix' : 'refactor';
  if (WISH.test(asked)) return REFACTOR_WORDS.test(asked) ? 'refactor' : 'feature';
  if (repairs.some((repair) => repair.beforeEdits)) return 'bugfix';
  if (TROUBLE.test(asked)) return 'bugfix';
  return REFACTOR_WORDS.test(asked) ? 'refactor' : 'feature';
}

const MAX_ASKED = 400;
/** The user asks for something new. */
const WISH =
  /^\W*(?:(?:ok|now|please|can you|could you|let's|we need to|i want you to)[, ]+)*(?:add|implement|build|create|support|show|make it possible|introduce|write|upgrade|migrate|split|rename|extract|move|refactor|clean up)\b/i;

const MAX_BODY = 400;
const MAX_BODY_SENTENCES = 3;
const MAX_FACTS = 6;
const MAX_FACT = 200;
/** `Great!`, `A.`: says nothing. Counted in words. */
const MIN_SAID = 3;

/** The body of a fix begins with its cause. */
function bodyOf(headline: Headline, said: readonly Sentence[], cause: Finding | undefined): string {
  const why = cause !== undefined && cause.source !== headline.source ? [cause.source.text] : [];
  if (headline.commit && headline.commit.body !== '') {
    const sentences = sentencesOf(headline.commit.body, 'agent').map((sentence) => sentence.text);
    return joined([...why, ...sentences.slice(0, MAX_BODY_SENTENCES)]);
  }
  if (headline.source === undefined) return joined([...why, headline.title]);
  return joined([...why, contextOf(headline.source, said)]);
}

/** A sentence and the ones right after it. */
export function contextOf(source: Sentence, said: readonly Sentence[]): string {
  const after = said
    .slice(said.indexOf(source) + 1)
    .slice(0, MAX_BODY_SENTENCES)
    .filter((sentence) => sentence.bullet === source.bullet && sentence.paragraph - source.paragraph <= 1)
    .map((sentence) => sentence.text)
    .filter((text) => !NARRATION.test(text) && !/[?:]$/.test(text) && wordsOf(text).length >= MIN_SAID);
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
  const others = commits.filter(
    (commit) => commit !== headline.commit || commit.hash !== undefined || COMMIT_TYPE.test(commit.subject),
  );
  return [
    ...repairs.map(
      ({ command, error }) => `\`${command}\` failed, then passed${error === undefined ? '' : ` (${error})`}`,
    ),
    ...others.map(
      (commit) => `Commit${commit.hash === undefined ? '' : ` ${commit.hash}`}: ${commit.subject}`,
    ),
    ...pullRequests.map((name) => `Pull request${name.startsWith('#') ? ' ' : ': '}${name}`),
  ];
}

/** The other items of a list of changes, or the items after the sentence that announces it. */
export function siblingsOf(source: Sentence | undefined, said: readonly Sentence[]): readonly string[] {
  if (source === undefined) return [];
  const after = said.slice(said.indexOf(source) + 1);
  const end = after.findIndex((sentence) => !sentence.bullet || sentence.label !== (after[0]?.label ?? ''));
  const list = end === -1 ? after : after.slice(0, end);
  const firsts = list.filter((item, i) => item.paragraph !== (i === 0 ? source : list[i - 1])?.paragraph);
  return firsts
    .map((item) => item.text)
    .filter((text) => text.length <= MAX_FACT && !HEDGE.test(text) && !/:$|^\W*\w?\W*$/.test(text));
}
