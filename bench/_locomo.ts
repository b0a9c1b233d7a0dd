/** Reads LoCoMo conversations as memories: one entry per utterance, one project per conversation. */
import { readFileSync } from 'node:fs';
import { memoryId } from '../src/core/index.ts';
import { MemoryIndex, type MemoryEntry } from '../src/database/index.ts';

export interface Conversation {
  readonly id: string;
  readonly index: MemoryIndex;
  /** The time at which questions are asked: shortly after the last session. */
  readonly now: Date;
  readonly questions: readonly Question[];
}

export interface Question {
  readonly text: string;
  /** Ids of the utterances that contain the answer, such as `D3:12`. A memory's turn is its utterance. */
  readonly evidence: readonly string[];
}

interface Sample {
  readonly sample_id?: string;
  readonly conversation: Readonly<Record<string, string | readonly Utterance[]>>;
  readonly qa?: readonly {
    readonly question: string;
    readonly evidence?: readonly string[];
    readonly category?: number;
  }[];
}

interface Utterance {
  readonly speaker?: string;
  readonly dia_id: string;
  readonly text?: string;
  readonly blip_caption?: string;
}

const ADVERSARIAL = 5;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const UNDATED = Date.parse('2023-01-01T09:00:00.000Z');

export function loadLocomo(file: string): readonly Conversation[] {
  const samples = JSON.parse(readFileSync(file, 'utf8')) as readonly Sample[];
  return samples.map((sample, i) => {
    const id = sample.sample_id ?? `conversation-${i + 1}`;
    const entries = entriesOf(id, sample);
    const index = MemoryIndex.open(':memory:');
    index.upsertMemories(entries);
    const last = entries.reduce((at, { memory }) => (memory.at > at ? memory.at : at), '');
    return {
      id,
      index,
      now: new Date(Date.parse(last) + MINUTE_MS),
      questions: (sample.qa ?? [])
        .filter(({ category }) => category !== ADVERSARIAL)
        .map(({ question, evidence = [] }) => ({ text: question, evidence: utterancesIn(evidence) }))
        .filter(({ evidence }) => evidence.length > 0),
    };
  });
}

/** `D3:12` → `D3`, the id of the session. */
export function sessionOf(utterance: string): string {
  return utterance.split(':')[0] ?? '';
}

function entriesOf(project: string, { conversation }: Sample): readonly MemoryEntry[] {
  return Object.entries(conversation).flatMap(([name, said], place) => {
    if (!Array.isArray(said)) return [];
    const dated = instantOf(String(conversation[`${name}_date_time`]));
    // Without a date, only the order in the file is known.
    const began = Number.isNaN(dated) ? UNDATED + place * DAY_MS : dated;
    return (said as readonly Utterance[]).map((utterance, i) =>
      entryOf(project, utterance, new Date(began + i * MINUTE_MS)),
    );
  });
}

function entryOf(
  project: string,
  { speaker = '', dia_id, text = '', blip_caption }: Utterance,
  at: Date,
): MemoryEntry {
  return {
    memory: {
      id: memoryId(at.toISOString(), dia_id, 'discovery', 0),
      kind: 'discovery',
      title: speaker,
      body: blip_caption ? `${text}\n[image: ${blip_caption}]` : text,
      facts: [],
      concepts: [],
      files: [],
      project,
      at: at.toISOString(),
      state: 'current',
      provenance: { agent: 'locomo', session: sessionOf(dia_id), turn: dia_id, messages: [], by: 'bench' },
    },
  };
}

/** Some ids are written `D8:6; D9:17` or `D:11:26`. */
function utterancesIn(evidence: readonly string[]): readonly string[] {
  const found = evidence.flatMap((text) => [...text.matchAll(/D:?(\d+):(\d+)/g)]);
  return [...new Set(found.map(([, session, place]) => `D${session}:${place}`))];
}

/** `1:56 pm on 8 May, 2023` */
function instantOf(text: string): number {
  const [, hour, minute, half, day, month, year] =
    /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(text) ?? [];
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  return Date.parse(`${day} ${month} ${year} ${hours}:${minute} UTC`);
}
