/** The sentences of a turn with their surroundings, as the small model reads them. Pure. */
import { type StoredTurn, type ToolCall, withoutNotes } from '../../core/index.ts';
import type { Pair } from '../../models/index.ts';
import { sentencesOf, type Sentence } from '../rules/sentences.ts';

export interface Unit extends Sentence {
  readonly who: 'user' | 'assistant';
  readonly input: Pair;
}

type Spoken = Pick<StoredTurn, 'prompt' | 'answer' | 'report' | 'tools'>;

/** A longer turn is read from its end, where an agent reports. */
const MAX_UNITS = 200;
/** Characters of the surroundings; the tokenizer cuts what does not fit. */
const PREVIOUS = 200;
const PROMPT = 240;
const THEN = 160;

export function unitsOf(turn: Spoken, previous?: Pick<StoredTurn, 'answer'>): readonly Unit[] {
  const user = sentencesOf(turn.prompt, true);
  const answer = sentencesOf(withoutNotes(reportOf(turn)), false).slice(-MAX_UNITS);
  const before = tail(spokenTail(previous?.answer ?? ''), PREVIOUS);
  const prompt = head(user.map(({ text }) => text).join(' '), PROMPT);
  const work = workOf(turn.tools);
  const then = head(answer.map(({ text }) => text).join(' '), THEN);
  return [
    ...user.map((one, i) =>
      unit('user', one, [work, around(user, i), `then: ${then}`, `answered: ${before}`]),
    ),
    ...answer.map((one, i) => unit('assistant', one, [work, around(answer, i), `asked: ${prompt}`])),
  ];
}

/** A shorter end ("Done.") is no report. */
const MIN_REPORT = 150;
const BREAK = '\n\n';

/**
 * An agent thinks aloud between its tool calls and reports at the end. The length was taken before secrets were removed, so
 * the report begins at the paragraph nearest to it.
 */
function reportOf({ answer, report }: Spoken): string {
  if (report === undefined || report < MIN_REPORT) return answer;
  const at = answer.length - report;
  const [before, after] = [answer.lastIndexOf(BREAK, at), answer.indexOf(BREAK, at)];
  const start = after < 0 || at - before <= after - at ? before : after;
  return answer.slice(start + 1);
}

function unit(who: Unit['who'], sentence: Sentence, context: readonly string[]): Unit {
  const label = sentence.label === '' ? '' : `${sentence.label}: `;
  return {
    ...sentence,
    who,
    input: { a: `${who}: ${label}${sentence.text}`, b: context.filter(Boolean).join(' | ') },
  };
}

/** The sentences before and after. */
function around(all: readonly Sentence[], i: number): string {
  return `${tail(all[i - 1]?.text ?? '', 120)} … ${head(all[i + 1]?.text ?? '', 120)}`;
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
