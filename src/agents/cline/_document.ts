/** Reads a transcript that is one JSON document, which the client writes again as a whole. Never writes. */
import { readBytes } from '../../files/index.ts';
import { parseObject, type JsonObject } from '../reading/json.ts';
import { lineText, unlessMissing } from '../reading/json-lines.ts';
import { whyNot } from '../reading/listing.ts';
import type { TranscriptNotes, TurnRead } from '../transcript.ts';

/** Parsing takes several times as much memory. Conversations of days are a few megabytes. */
const DOCUMENT_BYTES = 64 * 1024 * 1024;
const NO_OBJECT = 'not a JSON object';

/**
 * The `end` of a turn that others follow: not the end of the document, so that a read which was cut short after it is seen
 * to be incomplete.
 */
export function beforeEnd(read: TurnRead): TurnRead {
  return { ...read, end: read.end - 1 };
}

export interface Document {
  readonly json: JsonObject;
  readonly bytes: number;
}

/** Returns the document. Undefined if the file is missing, or damaged, which the notes say then. */
export async function readDocument(path: string, notes: TranscriptNotes): Promise<Document | undefined> {
  const bytes = await unlessMissing(path, () => readBytes(path, DOCUMENT_BYTES));
  if (bytes === undefined) return undefined;
  notes.lines = 1;
  notes.end = bytes.length;
  const json = parseObject(lineText(bytes));
  if (json) return { json, bytes: bytes.length };
  notes.malformed = 1;
  notes.problems.push({ line: 1, offset: 0, reason: NO_OBJECT });
  return undefined;
}

/** Returns the document, or the reason why it cannot be read. */
export async function describeDocument(path: string): Promise<JsonObject | string> {
  try {
    return parseObject(lineText(await readBytes(path, DOCUMENT_BYTES))) ?? NO_OBJECT;
  } catch (error) {
    return whyNot(error, DOCUMENT_BYTES);
  }
}
