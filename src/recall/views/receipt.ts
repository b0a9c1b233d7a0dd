/** The receipt of a new memory: where later sessions get it, and how to undo it. Pure. */
import {
  isLive,
  PERSONAL_PROJECT,
  RULE_KINDS,
  WORK_KINDS,
  type Memory,
  plainLine,
  shortId,
} from '../../core/index.ts';
import { queryWords } from '../../database/index.ts';
import { isInjectedAtFile } from '../context/file-context.ts';
import { isConfirmed, isQuotedRule } from '../context/trust.ts';

export interface Receipt {
  /** Where the memory appears, each a phrase that continues "Appears …". */
  readonly appears: readonly string[];
  /** The command that removes it. */
  readonly undo: string;
}

/** Enough words to recognise the subject. */
const TOPICS = 3;

/** `waits`: the memory has to be reviewed first. `off`: nothing is recalled in its project now. */
export function receiptOf(memory: Memory, { waits = false, off = false } = {}): Receipt {
  return {
    appears: waits
      ? [`nowhere until you approve it (tidemark review approve ${shortId(memory.id)})`]
      : off
        ? ['in search only for now']
        : appearsIn(memory),
    undo: waits ? `tidemark review reject ${shortId(memory.id)}` : `tidemark forget ${shortId(memory.id)}`,
  };
}

/** `Appears in this project's brief; with prompts about tokens.` */
export function appearsLine({ appears }: Receipt): string {
  return `Appears ${appears.join('; ')}.`;
}

function appearsIn(memory: Memory): readonly string[] {
  if (!isLive(memory)) return [`in search only, because it is ${memory.state}`];
  if (isQuotedRule(memory)) return ['in search only, because it quotes a text'];
  const files = isInjectedAtFile(memory) ? memory.files : [];
  return [
    inBrief(memory),
    `with prompts about ${topicsOf(memory)}`,
    ...files.map((path) => `when ${plainLine(path)} is read or changed`),
  ];
}

function inBrief(memory: Memory): string {
  const isEverywhere = memory.project === PERSONAL_PROJECT;
  const brief = isEverywhere ? 'in the brief of every project, with every agent' : "in this project's brief";
  if (RULE_KINDS.includes(memory.kind) && !isConfirmed(memory))
    return `${brief}, as a note of the agent that you have not confirmed`;
  const isListed = memory.kind === 'discovery' || WORK_KINDS.includes(memory.kind);
  return isListed ? `${brief}, by its title` : brief;
}

/** Search phrases if it has some, else the first words of its title that are not too common. */
function topicsOf({ concepts, title }: Memory): string {
  const topics = concepts.length > 0 ? concepts : queryWords(title).map(({ surface }) => surface);
  return topics.length > 0 ? plainLine(topics.slice(0, TOPICS).join(', ')) : 'it';
}
