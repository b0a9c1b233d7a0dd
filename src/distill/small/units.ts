/** The sentences of a turn with their surroundings, as the small model reads them. Pure. */
import { type StoredTurn, type ToolCall, withoutNotes } from '../../core/index.ts';
import type { Passage } from '../../models/index.ts';
import { sentencesOf, type Sentence } from '../rules/sentences.ts';

export interface Unit extends Sentence {
  readonly who: 'user' | 'assistant';
}

/** Sentences that the model reads together, and which of the turn's units they are; undefined: only for context. */
export interface UnitPassage extends Passage {
  readonly units: readonly (Unit | undefined)[];
}

export type Spoken = Pick<StoredTurn, 'prompt' | 'answer' | 'report' | 'tools'>;

/** A longer turn is read from its end, where an agent reports. */
const MAX_UNITS = 200;
/** Characters of the sentences that are read together: with most of the turn, or with their neighbours only. */
export const PASSAGE = { long: 900, short: 250 } as const;
/** Characters of one sentence. */
const SENTENCE = 400;
/** Sentences that are read together at most, however short: the model has room for five tokens of each. */
const MAX_TOGETHER = 60;
/** Characters of what is around them; the tokenizer cuts what does not fit. */
const PREVIOUS = 200;
const PROMPT = 200;
const THEN = 160;
const NEIGHBOUR = 120;

export function unitsOf(turn: Spoken): readonly Unit[] {
  const answer = sentencesOf(withoutNotes(reportOf(turn)), false).slice(-MAX_UNITS);
  return [
    ...sentencesOf(turn.prompt, true).map((one) => ({ ...one, who: 'user' as const })),
    ...answer.map((one) => ({ ...one, who: 'assistant' as const })),
  ];
}

/** `user: Rules: never push to main` */
export function asRead({ who, label, text }: Unit): string {
  return `${who}: ${label === '' ? '' : `${label}: `}${text}`;
}

/** Divides the sentences of a turn into passages of about the same length, at most `chars`, each with what is around it. */
export function passagesOf(
  units: readonly Unit[],
  { tools }: Spoken,
  previous?: Pick<StoredTurn, 'answer'> | undefined,
  chars: number = PASSAGE.long,
): readonly UnitPassage[] {
  const textOf = (who: Unit['who']): string =>
    units.flatMap((unit) => (unit.who === who ? [unit.text] : [])).join(' ');
  const around = {
    work: workOf(tools),
    answered: `answered: ${tail(spokenTail(previous?.answer ?? ''), PREVIOUS)}`,
    asked: `asked: ${head(textOf('user'), PROMPT)}`,
    answer: `then: ${head(textOf('assistant'), THEN)}`,
  };
  return divided(units, chars).map(([from, to]) => {
    const own = units.slice(from, to);
    const has = (who: Unit['who']): boolean => own.some((unit) => unit.who === who);
    const before = neighbour(units[from - 1], tail);
    const after = neighbour(units[to], head);
    return {
      about: [
        around.work,
        has('user') ? around.answered : around.asked,
        ...(has('assistant') ? [] : [around.answer]),
      ]
        .filter(Boolean)
        .join(' | '),
      sentences: [...before, ...own.map((unit) => shortened(asRead(unit))), ...after],
      units: [...before.map(() => undefined), ...own, ...after.map(() => undefined)],
    };
  });
}

/** Returns from where to where each passage goes. */
function divided(units: readonly Unit[], chars: number): readonly (readonly [number, number])[] {
  const lengths = units.map((unit) => Math.min(SENTENCE, asRead(unit).length));
  const all = lengths.reduce((sum, length) => sum + length, 0);
  const most = all / Math.max(1, Math.ceil(all / chars));
  const found: [number, number][] = [];
  let size = Infinity;
  for (const [i, length] of lengths.entries()) {
    const last = found.at(-1);
    if (last && size + length / 2 <= most && i - last[0] < MAX_TOGETHER) last[1] = i + 1;
    else {
      found.push([i, i + 1]);
      size = 0;
    }
    size += length;
  }
  return found;
}

function neighbour(unit: Unit | undefined, part: typeof head): readonly string[] {
  return unit ? [`${unit.who}: ${part(unit.text, NEIGHBOUR)}`] : [];
}

/** Keeps the beginning and the end of a long sentence. */
function shortened(text: string): string {
  return text.length <= SENTENCE ? text : `${head(text, (SENTENCE * 2) / 3)} … ${tail(text, SENTENCE / 3)}`;
}

const BREAK = '\n\n';

/**
 * An agent thinks aloud between its tool calls and reports at the end. The length was taken before secrets were removed, so
 * the report begins at the paragraph nearest to it.
 */
function reportOf({ answer, report }: Spoken): string {
  if (report === undefined) return answer;
  const at = answer.length - report;
  const [before, after] = [answer.lastIndexOf(BREAK, at), answer.indexOf(BREAK, at)];
  const start = after < 0 || at - before <= after - at ? before : after;
  return answer.slice(start + 1);
}

/** `edited, tests passed, committed` */
function workOf(tools: readonly ToolCall[]): string {
  const commands = tools.map(({ command = '' }) => command).join('\n');
  return [
    tools.some(({ edited }) => edited.length > 0) ? 'edited' : '',
    /\bgit\b[^\n]*\bcommit\b/.test(commands) ? 'committed' : '',
    /\btest/i.test(commands) ? 'tested' : '',
    tools.some(({ status }) => status === 'error') ? 'an error' : '',
    tools.length === 0 ? 'no tools' : '',
  ]
    .filter(Boolean)
    .join(', ');
}

function spokenTail(answer: string): string {
  return sentencesOf(withoutNotes(answer), false)
    .slice(-4)
    .map(({ text }) => text)
    .join(' ');
}

function head(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most);
}

function tail(text: string, most: number): string {
  return text.length <= most ? text : text.slice(-most);
}
