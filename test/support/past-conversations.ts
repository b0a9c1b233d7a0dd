/** Conversations of an imagined project that left no memories, for tests of what is found in them. */
import { MemoryIndex, type IndexedTurn } from '../../src/database/index.ts';

export const NOW = new Date('2026-11-15T12:00:00.000Z');
export const PROJECT = 'ferry-tickets-9fk2m1';

/** Session → when it began, and its prompts with their answers. */
const SESSIONS: Readonly<Record<string, readonly [at: string, ...turns: (readonly [string, string])[]]>> = {
  '1d0c6f0e-0001-4000-8000-000000000001': [
    '2026-08-03T09:00:00.000Z',
    ['The seat map is slow on old phones.', 'It draws every seat again on each tap.'],
    ['Then draw only the deck that is visible.', 'Done, the seat map draws one deck at a time.'],
  ],
  '2a7e41b9-0002-4000-8000-000000000002': [
    '2026-08-20T09:00:00.000Z',
    [
      'Passengers complain that a refund for a cancelled sailing is smaller than the ticket.',
      'The refund leaves out the harbour fee, because it is booked as a separate line.',
    ],
    [
      'Is that right? The harbour keeps the fee only when the ship sails.',
      'Then a cancelled sailing has to return it too.',
    ],
    [
      'Yes. Cancelled by us: refund everything, harbour fee included. Cancelled by the passenger: the harbour fee stays.',
      'Settled: refunds of cancelled sailings include the harbour fee; passengers who cancel themselves lose it.',
    ],
  ],
  '3b92d5c8-0003-4000-8000-000000000003': [
    '2026-09-11T09:00:00.000Z',
    ['Add Norwegian to the language menu.', 'Added, with the texts of the booking form.'],
  ],
  '4c03e6d7-0004-4000-8000-000000000004': [
    '2026-09-25T09:00:00.000Z',
    ['The nightly report misses freight.', 'Freight was filtered by vehicle length. Fixed.'],
    ['Please also show it per harbour.', 'The report has a table per harbour now.'],
  ],
  '5e14f7a6-0005-4000-8000-000000000005': [
    '2026-10-06T09:00:00.000Z',
    ['Move the timetable import to the new server.', 'It runs there every night at three.'],
  ],
  '6f2508b5-0006-4000-8000-000000000006': [
    '2026-10-19T09:00:00.000Z',
    ['Why do bicycles need a ticket of their own?', 'They count towards the limit of the car deck.'],
  ],
};

export const [SEATS, REFUNDS] = Object.keys(SESSIONS) as [string, string];

/** A prompt that is about the conversation on refunds. */
export const ABOUT_REFUNDS =
  'Support says a passenger got a refund for a cancelled sailing, but the harbour fee is missing from the amount. Please fix the refund.';

/** Creates an index of the conversations, with further sessions after them. */
export function conversationIndex(...more: readonly IndexedTurn[]): MemoryIndex {
  const index = MemoryIndex.open(':memory:');
  const turns = Object.entries(SESSIONS).flatMap(([session, [at, ...said]]) =>
    said.map(([prompt, answer], n) => spokenTurn(session, n, at, prompt, answer)),
  );
  index.upsertTurns([...turns, ...more]);
  return index;
}

export function spokenTurn(
  session: string,
  n: number,
  began: string,
  prompt: string,
  answer: string,
): IndexedTurn {
  const at = new Date(Date.parse(began) + n * 60_000).toISOString();
  const id = `${session}#${n}`;
  const made = { origin: 'person', outcome: 'answered', tools: 0 } as const;
  return { id, session, project: PROJECT, at, endedAt: at, prompt, answer, hash: id, ...made };
}
