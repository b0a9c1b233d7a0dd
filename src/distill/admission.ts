/** Decides whether a turn could be worth a memory. Trivial turns are never distilled. */
import { type MemoryKind, spokenText, type StoredTurn } from '../core/index.ts';
import { RECORDS_WORK } from './proof.ts';
import { spoken } from './rules/sentences.ts';

export type Admission =
  | { readonly admitted: false; readonly reason: 'empty' | 'trivial' | 'failed' }
  | {
      readonly admitted: true;
      readonly kinds: 'all' | readonly MemoryKind[];
      /** Whether the agent's answer counts: after bookkeeping alone it only describes bookkeeping. */
      readonly answer: boolean;
    };

/** Tools for the agent's own bookkeeping; their inputs say nothing about the project. */
const LOW_VALUE_TOOLS: readonly string[] = [
  'TodoWrite',
  'TodoRead',
  'TaskCreate',
  'TaskUpdate',
  'TaskList',
  'TaskGet',
  'ListMcpResourcesTool',
  'ReadMcpResourceTool',
  'ToolSearch',
  'Skill',
  'SlashCommand',
];

/** A shorter answer contains nothing to look up later. A CJK character counts as three. */
const MIN_SAID = 60;
/** A turn that did not end proves nothing, but the user's statements in it count. */
const KINDS_OF_UNFINISHED: readonly MemoryKind[] = ['dead_end', 'issue', 'preference'];
/** Without the agent's text (`distillable`), a decision in it is the user's. */
const KINDS_OF_USER: readonly MemoryKind[] = [...KINDS_OF_UNFINISHED, 'decision'];
/** After a denial the work is not done, but findings and decisions before it count. */
const KINDS_OF_DENIED: readonly MemoryKind[] = [...KINDS_OF_UNFINISHED, 'decision', 'discovery'];

export function admit(turn: StoredTurn): Admission {
  const idle = turn.tools.length > 0 && turn.tools.every((tool) => LOW_VALUE_TOOLS.includes(tool.name));
  const said = idle ? 0 : weight(spoken(turn.answer));
  const asked = turn.origin === 'person' ? weight(spoken(turn.prompt)) : 0;
  const changed = turn.tools.some((tool) => tool.edited.length > 0 || RECORDS_WORK.test(tool.command ?? ''));
  if (said + asked === 0 && !changed) return { admitted: false, reason: 'empty' };
  if (turn.outcome === 'failed' && !changed && !hasLongPrompt(turn))
    return { admitted: false, reason: 'failed' };
  if (!changed && said < MIN_SAID && !hasLongPrompt(turn)) return { admitted: false, reason: 'trivial' };
  if (turn.outcome === 'answered') return { admitted: true, kinds: 'all', answer: !idle };
  if (turn.outcome === 'denied') return { admitted: true, kinds: KINDS_OF_DENIED, answer: !idle };
  return { admitted: true, kinds: turn.answer === '' ? KINDS_OF_USER : KINDS_OF_UNFINISHED, answer: !idle };
}

/** A short prompt that is trivial by itself may answer a question or choose an option: "9 it is". */
export function admissionOf(turn: StoredTurn, previous: StoredTurn | undefined): Admission {
  const admission = admit(turn);
  const isAnswer =
    !admission.admitted &&
    admission.reason === 'trivial' &&
    turn.outcome === 'answered' &&
    previous !== undefined &&
    (ASKS.test(spokenText(previous.answer).slice(-ASKED_IN)) || CHOOSES.test(spokenText(turn.prompt)));
  return isAnswer ? { admitted: true, kinds: 'all', answer: true } : admission;
}

/** The end of an answer, where an agent asks. */
const ASKED_IN = 600;
/** A choice after a comparison that asked nothing: "9 it is", "threads stay". */
const CHOOSES = /\d|\b(?:it is|go with|take|keep|leave|stays?)\b/i;
const ASKS = /[?？]|^\s*(?:[-*]|\d+[.)]|\*{0,2}[A-D][.):])\s/m;

/** A short prompt may state a preference: "always use pnpm" has fifteen characters. "Yes, go on" has fewer. */
function hasLongPrompt(turn: StoredTurn): boolean {
  return turn.origin === 'person' && weight(spoken(turn.prompt)) >= 15;
}

function weight(text: string): number {
  const cjk = text.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g)?.length ?? 0;
  return text.replace(/\s+/g, ' ').trim().length + 2 * cjk;
}
