/** Finds the title of the agent's work: the best sentence that reports finished work. Pure. */
import type { StoredTurn } from '../../core/index.ts';
import { ABOUT_TEXT, DONE_VERBS, HEDGE, NAMED, NARRATION, POINTING } from './_english.ts';
import type { Commit } from './commands.ts';
import type { Sentence } from './sentences.ts';
import { titleOf, topicsOf, wordsOf } from './title.ts';

export interface Headline {
  readonly title: string;
  readonly source?: Sentence;
  readonly commit?: Commit;
}

export const COMMIT_TYPE = /^(?<type>[a-z]+)(?:\((?<scope>[^)]*)\))?!?:\s*/i;

export function committed(commits: readonly Commit[]): Headline | undefined {
  for (const commit of commits) {
    const title = titleOf(commit.subject.replace(COMMIT_TYPE, ''));
    if (title !== undefined) return { title, commit };
  }
  return undefined;
}

/** The client starts a new conversation with an accepted plan in these words; the heading names the work. */
const PLAN =
  /^\s*implement the following plan:?\s+#{1,3} +(?:(?:implementation )?plan(?: for)?\s*[:—–-]\s*)?(?<title>[^\n]{8,200})/i;

export function planned(turn: StoredTurn): Headline | undefined {
  const heading = turn.origin === 'person' ? PLAN.exec(turn.prompt)?.groups?.['title'] : undefined;
  const title = heading === undefined ? undefined : titleOf(heading.replace(/[*`]{2,}/g, ''));
  return title === undefined ? undefined : { title };
}

/** The best report: near the end, prose before lists, about the request, no side work. */
export function reported(turn: StoredTurn, said: readonly Sentence[]): Headline | undefined {
  const asked = topicsOf(turn.origin === 'person' ? turn.prompt.slice(0, MAX_ASKED) : '');
  const ending = said.findLastIndex((sentence) => NARRATION.test(sentence.text)) + 1;
  let best: { readonly headline: Headline; readonly score: number } | undefined;
  said.forEach((source, at) => {
    const title = doneTitle(source);
    if (title === undefined || (turn.tools.length === 0 && isPlanned(source, said))) return;
    const topics = topicsOf(title);
    const shared = [...topics].filter((topic) => asked.has(topic)).length;
    const beside = SIDE_WORK.test(title) || ABOUT_TEXT.test(title);
    if (beside && (shared === 0 || turn.tools.length === 0)) return;
    if (turn.tools.length === 0 && !title.includes('`') && topics.size < UNNAMED_TOPICS) return;
    const score =
      (at >= ending ? 3 : 0) +
      (source.bullet ? 0 : 1) +
      Math.min(shared, 2) +
      (topicsOf(title.replace(LONG_ASIDE, '')).size >= 4 ? 0.5 : 0) +
      (NAMED.test(title) ? 0.25 : 0) -
      (COUNTED.test(title) ? 1.5 : 0) -
      (COULD_BE_ORDER.test(source.text) ? 1 : 0) -
      (beside ? 2 : 0);
    if (best === undefined || score > best.score) best = { headline: { title, source }, score };
  });
  return best?.headline;
}

/** Does not say how much was done. */
const LONG_ASIDE = /\s\([^)]{45,}\)/g;

/** `Updated a.md with two changes`: the changes are named later. */
const COUNTED = /\b(?:with|in) (?:the following|two|three|four|several|a few|\d+) [\w-]+(?: [\w-]+)?$/i;

/** `Set x to y`, `Split the file`: done, or still to be done. */
const COULD_BE_ORDER = /^(?:set|set up|split|cut|read|put|let)\b/i;
const CLEARLY_DONE = new RegExp(String.raw`^(?!set|split|cut)(?:${DONE_VERBS})\b`, 'i');

/** Without a tool call as proof, it counts only beside an item that was clearly done. */
function isPlanned({ text, under, bullet }: Sentence, said: readonly Sentence[]): boolean {
  if (!COULD_BE_ORDER.test(text)) return false;
  return !said.some(
    (other) => other.under === under && other.bullet === bullet && CLEARLY_DONE.test(other.text),
  );
}

/** `The plugin is complete.` says too little alone; with its parts it is enough. */
const COMPLETE =
  /^(?<what>(?:the )?[\w\x60 /-]{3,50} (?:is|are) (?:now )?(?:complete|done|ready|finished|implemented|in place))\b/i;

export function completed(said: readonly Sentence[], files: readonly string[]): Headline | undefined {
  for (const source of said.toReversed()) {
    const what = COMPLETE.exec(source.text)?.groups?.['what'];
    if (what === undefined || POINTING.test(what) || HEDGE.test(source.text)) continue;
    const names = files.slice(0, 3).map((file) => file.slice(file.lastIndexOf('/') + 1));
    const title = titleOf(`${what}: ${names.join(', ')}`);
    if (title !== undefined) return { title, source };
  }
  return undefined;
}

const MAX_ASKED = 1500;
/** Without tool calls, a title that names no code needs more topic words. */
const UNNAMED_TOPICS = 6;

/** Work that accompanies every change. */
const SIDE_WORK =
  /^(?:added|included|updated|removed|deleted|fixed|adapted|adjusted|extended|wrote|rewrote|changed|ran|bumped|merged|re-?centered)\b.{0,40}?(?:\x60(?:Test[A-Z]|test_)|\bimports?\b|_test\.|\.test\.|\b(?:comments?|assertions?|tests?|test (?:cases?|table|expectations?)|docs?|documentation|readme|changelog|formatting|lint\w*|typos?|call sites?|callers?|whitespace|numbering|tasks?\.md|stdlib (?:block|group))\b)|^(?:removed|deleted|dropped|cleaned up)\b.{0,30}?\b(?:unused|unnecessary|now-unused|dead|orphaned|now-orphaned|obsolete|redundant|shadowing|shadowed|stale)\b/i;

const SUBJECT = String.raw`(?:(?:all |everything is )?(?:done|fixed|complete|clean|good|corrected|implemented|finished)[.!:,— –-]+)*(?:(?:i|we)(?:'ve| have)?(?: also| now| just| successfully| then| therefore)? |so i |successfully |also |just |now )*`;
const DONE = new RegExp(String.raw`^${SUBJECT}(?<verb>${DONE_VERBS})\b (?<rest>.+)`, 'i');
/** `I pinned…`, `I now swap…`: any verb of the agent counts, except looking and thinking. */
const I_DID =
  /^(?:so )?i(?:'ve| have)?(?: also| now| just| then| therefore)? (?!noted|derived|claimed|flagged|mentioned|referenced|said|duplicated|broke|missed|forgot|overlooked|misread|misunderstood|skipped|tried|looked|checked|verified|noticed|confirmed|wanted|considered|searched|traced|reviewed|tested|needed|realized|realised|assumed|stopped|waited|walked|examined|inspected|started|listed|used|asked|read|ran|found|see|saw|think|believe|have|am|was|can|could|would|will|need|want|know|recommend|suggest|left|haven|don|did|couldn|wasn|also)(?<verb>[a-z]+ed|set|put|kept|rebuilt|let|swap|keep|read) (?<rest>.+)/i;
const NOW_DOES =
  /^i now (?!have|need|see|know|understand|want|realize|realise|think|am|can|get)(?<verb>[a-z]+) (?<rest>.+)/i;
const NOW =
  /^(?:now,? )?(?<what>(?!(?:an?|the|any|every) users?\b)(?:the |a |an |all |each |every |`|both )[^,.;]{2,70}? now (?:[a-z]+s|is|are|has|have|can|use|return|show|take|go|run)\b .+)/i;
const PASSIVE = new RegExp(
  String.raw`^(?<what>(?:the |\x60)[^,.;]{2,70}? (?:(?:has been|have been|was|were|is now|are now) (?:${DONE_VERBS})|became an?)\b.*)`,
  'i',
);
/** `Phase 1 is in: events are written…` */
const READY =
  /^(?:the |all of )?[^.:;]{3,60}? (?:is|are) (?:now )?(?:in|in place|done|complete|ready|implemented|finished|live|working)(?::| —| –) (?<what>.{20,})/i;
/** `pkg/a.go — Added x`: where, then what. */
const PLACE = /^(?<place>.{2,60}?)(?: —| –|:) (?=[A-Z])/;

/** The agent reports its own mistake, or its next step. */
const OWN_FAULT =
  /\blet me\b|\babout to\b|\band will now\b|\b(?:that|which) (?:doesn't|does not|didn't) exist\b|\bby mistake\b|\bi should have\b|^i set .{3,80}, but\b/i;

/** Passing checks alone are not worth a title. */
const CHECKED =
  /^(?:done[.:—– -]+)?(?:builds?\b[^.;]{0,30}\b(?:clean|pass\w*)|(?:the |all )?(?:code|everything|changes?) (?:now )?(?:builds?|pass(?:es)?|compiles?)\b|(?:the |all |full |both )*(?:\w+ )?(?:lint(?:er|ing)?|tests?|suites?|build|typecheck|formatting|\d+ tests?)\b[^.;]{0,60}\b(?:pass(?:es|ed|ing)?|clean|green|succeeds?|succeeded|0 issues|no issues)\b|linter reports)/i;

function doneTitle(sentence: Sentence): string | undefined {
  const text = sentence.text.replace(
    /^(?:all )?(?:done|fixed|implemented|complete|corrected|finished)\s*[—–-]+\s*/i,
    '',
  );
  if (OWN_FAULT.test(text)) return undefined;
  if (HEDGE.test(text) || NARRATION.test(text) || CHECKED.test(text)) return undefined;
  const ready = READY.exec(text)?.groups?.['what'];
  if (ready !== undefined && !POINTING.test(ready) && !CHECKED.test(ready)) return titleOf(ready);
  const lead =
    sentence.lead !== '' && !text.startsWith(sentence.lead) ? leadTitle(sentence.lead, text) : undefined;
  if (lead !== undefined) return lead;
  const place = PLACE.exec(text);
  return didTitle(text) ?? (place ? didTitle(text.slice(place[0].length)) : undefined);
}

/** A lead that says enough is the title; otherwise the following text is added. */
function leadTitle(lead: string, text: string): string | undefined {
  const alone = didTitle(lead);
  const both = didTitle(`${lead}: ${text}`);
  return alone !== undefined && (NAMED.test(alone) || !both?.startsWith(alone)) ? alone : both;
}

function didTitle(text: string): string | undefined {
  const done = (DONE.exec(text) ?? NOW_DOES.exec(text) ?? I_DID.exec(text))?.groups;
  if (done) {
    const rest = (done['rest'] ?? '').replace(
      /,? and (?:the |all )?(?:\w+ ){0,2}(?:tests?|suite|build|lint\w*) (?:now )?(?:pass(?:es|ed)?|is|are)\b.*$/i,
      '',
    );
    const vague =
      POINTING.test(rest) ||
      NO_OBJECT.test(rest) ||
      wordsOf(rest).length < 3 ||
      (topicsOf(rest).size < MIN_TOPICS && rest.split('`').length < TWO_NAMES);
    return vague ? undefined : titleOf(`${done['verb']} ${rest}`);
  }
  const state = (NOW.exec(text) ?? PASSIVE.exec(text))?.groups?.['what'];
  if (state === undefined || POINTING.test(state) || /\b(?:it|them|this|that)\W*$/i.test(state))
    return undefined;
  return titleOf(state);
}

/** Topic words that an object needs: `the old parser` has one too few. */
const MIN_TOPICS = 3;
const TWO_NAMES = 5; // parts between backticks

/** "Fixed in all places", "Fixed columns take…", "Created the plan": the work is not named. */
const NO_OBJECT =
  /^(?:\w+ )?progress\b|^(?:(?:the|all|our|these|both|most|your) )*(?:(?:major|core|key|main|necessary|comprehensive|critical|remaining|various|several|multiple|significant|final|functionality|product|required|important|the) )+(?:\w+ )?(?:fixes|issues|problems|bugs|improvements|changes)\b|^(?:in|at|on|to|by|as|so|with|for|from|and|since|columns?|width|size|values?)\b|^(?:(?:a few|some|several|two|three|four|five|\d+|the|these|small|minor) )*(?:edits|changes|updates|adjustments|tweaks)\b|^(?:the |a |an )?(?:\w+ )?(?:plan|summary|todo list|task list|file|code)\b(?! \w+ ?\w* (?:to|for|of|in|that|which))/i;
