/**
 * Gives an agreement its subject: "let's go with pg-boss then" names a choice, and what it is for is in the agent's answer or
 * in the question before. Returns nothing rather than a title that only the session explains. Pure.
 */
import type { StoredTurn } from '../../core/index.ts';
import { HEDGE, NARRATION, POINTING, TROUBLE } from './talk.ts';
import { sentencesOf } from './sentences.ts';
import { splitReason, titleOf, topicsOf, wordsOf } from './title.ts';

interface Subject {
  readonly title: string;
  readonly reason?: string;
}

/** Words of a plain sentence: fewer name no subject, more are a paragraph. */
const LENGTH = { min: 5, max: 26 } as const;

export function subjectOf(
  choice: string,
  turn: StoredTurn,
  previous: StoredTurn | undefined,
): Subject | undefined {
  const names = [...topicsOf(choice)].filter((name) => name.length >= 3 && !GENERIC.has(name));
  if (names.length === 0) return undefined;
  const isNamed = (text: string) => {
    const words = topicsOf(text.replace(/[`*]/g, ' '));
    return names.every((name) => [...words].some((word) => word === name || word.startsWith(`${name}-`)));
  };
  const reason = reasonFor(isNamed, previous);
  const asked = askedFor(choice, isNamed, previous);
  const done = sentencesOf(turn.answer, false).find(
    ({ text }) => isNamed(text) && isPlain(text) && !isTrouble(text),
  );
  const title = asked ?? (done === undefined ? undefined : titleOf(firstClause(done.text), LENGTH.min));
  return title === undefined ? undefined : { title, ...(reason !== undefined && { reason }) };
}

/** Choices by position: they name nothing. */
const GENERIC: ReadonlySet<string> = new Set(
  'option options first second third one both latter former approach way plan idea solution version thing stuff everything simple rest'.split(
    ' ',
  ),
);

function isPlain(text: string): boolean {
  const words = wordsOf(text).length;
  return (
    words >= LENGTH.min &&
    words <= LENGTH.max &&
    !HEDGE.test(text) &&
    !NARRATION.test(text) &&
    !POINTING.test(text) &&
    !/[:：]\s*$/.test(text)
  );
}

/** "pg-boss failed to install": the user agreed to something else. */
function isTrouble(text: string): boolean {
  return TROUBLE.test(text) || TROUBLED.test(text);
}

const TROUBLED =
  /\b(?:not|cannot|however|unfortunately|vulnerab\w*|warns?|warnings?|deprecated|unsupported|incompatible|unmaintained|too (?:old|slow|new|big|large))\b|n't\b/i;

/** `Done. Mails go through pg-boss; the route only enqueues.` → the part before the semicolon. */
function firstClause(text: string): string {
  return text.replace(/^(?:done|ok|sure|all set)[.!,:—– -]+/i, '').split(/; /)[0] ?? text;
}

/** "mnesia or postgres for the holds?" and "postgres then" → `Use postgres for the holds`. */
function askedFor(
  choice: string,
  names: (text: string) => boolean,
  previous: StoredTurn | undefined,
): string | undefined {
  if (previous === undefined) return undefined;
  const asked = sentencesOf(previous.prompt, true).find(
    ({ text }) => /\?\s*$|\bor\b/.test(text) && names(text),
  );
  const purpose =
    /\bfor (?:the |our |a |an )?(?!me\b|us\b|now\b|this\b|that\b|it\b)[\w-]+(?: [\w-]+){0,2}/i.exec(
      asked?.text ?? '',
    )?.[0];
  return purpose === undefined
    ? undefined
    : titleOf(`Use ${choice.replace(/(?:\W|\bthen\b|\binstead\b)+$/i, '')} ${purpose}`);
}

/** The reason that the agent gave for the choice. */
function reasonFor(names: (text: string) => boolean, previous: StoredTurn | undefined): string | undefined {
  for (const text of (previous?.answer ?? '').split(/(?<=[.!?])\s+|\n+/)) {
    if (!names(text)) continue;
    const reason =
      splitReason(text).reason ?? /: (?<why>(?:it|that|this) .{10,160})$/i.exec(text)?.groups?.['why'];
    if (reason !== undefined) return reason.replace(/[.\s]+$/, '');
  }
  return undefined;
}
