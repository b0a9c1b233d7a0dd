/**
 * The context of a resumed session. Its conversation still contains what was injected and said before, so only changes are
 * injected: what other sessions ended since, and what they decided or left open. Only reads.
 */
import { isLive, type Memory, PERSONAL_PROJECT, RULE_KINDS, plainLine, shortId } from '../../core/index.ts';
import type { MemoryIndex } from '../../database/index.ts';
import { fence } from '../../privacy/index.ts';
import { shortAge } from '../ages.ts';
import { branchNote, byNameOnly, type Signals } from '../ranking/signals.ts';
import { BRIEF, RESUME } from '../ranking/weights.ts';
import { type Line, Pack } from './_pack.ts';
import { isLoaded, rulesEverywhere } from './brief.ts';
import { isConfirmed, isQuotedRule } from './trust.ts';
import { topic } from './previous.ts';
import { bullet, cutToTokens, tokenCost } from './render.ts';

interface ResumeOptions {
  readonly project: string;
  readonly session: string;
  readonly now: Date;
  readonly branch?: string;
  readonly signals?: Signals;
  /** Lines that the client loads itself, normalised: a rule that says no more is left out. */
  readonly loaded?: ReadonlySet<string>;
}

interface ResumeContext {
  /** For the agent. */
  readonly text: string;
  readonly memories: readonly string[];
  /** For the user. */
  readonly line: string;
}

const INTRO =
  'Changes in other sessions of this project since this one was last active. In brackets: who said it, how long ago, the id (`tidemark show <id>` shows an entry in full).';

const EVERYWHERE_TITLE = "The user's rules for every project";
const EVERYWHERE_INTRO =
  'Tidemark remembers what the user wants in every project. In brackets: who said it, how long ago, the id (`tidemark show <id>` shows an entry in full).';

/** Undefined if nothing changed and the conversation has the rules for every project. */
export function resumeContext(index: MemoryIndex, options: ResumeOptions): ResumeContext | undefined {
  // A session from before the installation has no turns here, and nothing was injected into it.
  const since = index.turnsIn(options.session).at(-1)?.endedAt;
  const { now, branch, signals = byNameOnly(branch) } = options;
  const pack = new Pack({ tokens: RESUME.budgetTokens - tokenCost(fence(INTRO)), units: BRIEF.maxUnits });
  const bullets = (memories: readonly Memory[]): readonly Line[] =>
    memories.slice(0, RESUME.most).map((memory) => ({
      text: () =>
        bullet(memory, now, BRIEF.entryTokens, {
          changes: signals.files(memory).changes,
          elsewhere: branchNote(signals, memory),
        }),
      memory: memory.id,
    }));
  const fresh = since === undefined ? [] : newMemories(index, options, since);
  const ended = since === undefined ? [] : endedMemories(index, options, since);
  pack.add({ title: 'No longer in force', share: 0.4, atLeastOne: true }, endedLines(index, ended, now));
  pack.add({ title: 'New open issues', share: 0.25 }, bullets(fresh.filter(({ kind }) => kind === 'issue')));
  pack.add(
    { title: 'New decisions and preferences in force', share: 1 },
    bullets(fresh.filter(({ kind }) => kind !== 'issue')),
  );
  const hasChanges = !pack.isEmpty;
  pack.add({ title: EVERYWHERE_TITLE, share: 1 }, bullets(missingRules(index, options)));
  if (pack.isEmpty) return undefined;
  const topics = [...pack.injected].map((id) => topic(index.memory(id)?.title ?? '')).filter(Boolean);
  const [intro, word] = hasChanges ? [INTRO, 'Changed since'] : [EVERYWHERE_INTRO, 'Remembered'];
  return {
    text: `${intro}\n\n${fence(pack.text)}`,
    memories: [...pack.injected],
    line: [`${word} (${pack.injected.size})`, ...topics.slice(0, BRIEF.most.topics)].join(' | '),
  };
}

/** Rules for every project that were never injected into this conversation, and were not said in it. */
function missingRules(index: MemoryIndex, { session, loaded = new Set() }: ResumeOptions): readonly Memory[] {
  const injected = new Set(index.injectedIn(session).map(({ memory }) => memory));
  return rulesEverywhere(index).filter(
    (memory) =>
      !injected.has(memory.id) && memory.provenance.session !== session && !isLoaded(memory, loaded),
  );
}

/** Memories from before the session's last turn that ended after it: the conversation may contain them as current. */
function endedMemories(index: MemoryIndex, { project }: ResumeOptions, since: string): readonly Memory[] {
  const over = index.memoriesBy({
    project: [project, PERSONAL_PROJECT],
    state: ['resolved', 'superseded'],
    until: since,
    limit: RESUME.candidates,
  });
  return over.filter((memory) => endOf(index, memory) > since);
}

/** Empty if the time is not known. */
function endOf(index: MemoryIndex, memory: Memory): string {
  return memory.ended?.at ?? replacementOf(index, memory)?.at ?? '';
}

function replacementOf(index: MemoryIndex, { ended, supersededBy, resolvedBy }: Memory): Memory | undefined {
  const id = supersededBy ?? resolvedBy ?? ended?.by;
  return id === undefined ? undefined : index.memory(id);
}

function endedLines(index: MemoryIndex, ended: readonly Memory[], now: Date): readonly Line[] {
  return ended.slice(0, RESUME.most).map((memory) => {
    const by = replacementOf(index, memory);
    const title = cutToTokens(plainLine(memory.title), RESUME.titleTokens);
    if (by && isLive(by))
      return {
        text: () => `- ${title} → ${bullet(by, now, BRIEF.entryTokens).slice(2)}`,
        memory: by.id,
      };
    const word = memory.kind === 'issue' ? 'resolved' : 'dropped';
    const at = shortAge(endOf(index, memory), now);
    return { text: () => `- ${title} (${word}, ${at}, ${shortId(memory.id)})`, memory: memory.id };
  });
}

/** Open issues and confirmed rules of other sessions since then, newest first. */
function newMemories(
  index: MemoryIndex,
  { project, session }: ResumeOptions,
  since: string,
): readonly Memory[] {
  const found = index.memoriesBy({
    project: [project, PERSONAL_PROJECT],
    kind: ['issue', ...RULE_KINDS],
    state: ['current', 'open'],
    since,
    limit: RESUME.candidates,
  });
  return found.filter(
    (memory) =>
      memory.provenance.session !== session &&
      !isQuotedRule(memory) &&
      (memory.kind === 'issue' || isConfirmed(memory)),
  );
}
