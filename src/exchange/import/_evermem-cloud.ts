/** Reads the memories of EverMem's cloud page by page, with a key the user gave for this import. */
import { draftOf, kindOfNote } from './_draft.ts';
import { text, timeOf, type Loose } from './_values.ts';
import type { PeerApi, PeerItem, PeerProject } from './peer.ts';

/** The largest page of its API. */
const PAGE = 100;
/** Stops an API that never ends; more than a user has. */
const MOST_PAGES = 1000;
const ANSWER_MS = 30_000;
const MOST_BYTES = 32 * 1024 * 1024;

export async function* cloudMemories(
  api: PeerApi,
  groups: ReadonlyMap<string, PeerProject>,
  placeOf: (group: string) => PeerProject,
  signal: AbortSignal,
): AsyncGenerator<PeerItem> {
  const asked = groups.size > 0 ? [...groups.keys()] : [''];
  const seen = new Set<string>();
  for (const group of asked) {
    for (let page = 1; page <= MOST_PAGES; page++) {
      if (signal.aborted) return;
      const answer = await ask(api, group, page, signal);
      if (typeof answer === 'string') {
        yield { kind: 'problem', file: api.url, reason: answer };
        return;
      }
      const fresh = answer.memories.filter((row) => !seen.has(keyOf(row)));
      for (const row of fresh) {
        seen.add(keyOf(row));
        yield itemOf(row, placeOf(text(row, 'group_id') || group), api.url);
      }
      // A service without paging returns the first page again and again.
      if (fresh.length === 0 || !answer.more) break;
    }
  }
}

function itemOf(row: Loose, place: PeerProject, url: string): PeerItem {
  const at = timeOf(row['timestamp'], row['create_time'], row['created_at']);
  const episode = text(row, 'episode') || text(row, 'summary') || text(row, 'content');
  const subject = text(row, 'subject') || text(row, 'title');
  const draft = draftOf({ kind: kindOfNote(`${subject}. ${episode}`), title: subject, body: episode });
  const id = text(row, 'id') || text(row, 'memory_id') || text(row, 'event_id');
  if (at === undefined || draft === undefined) {
    const reason = `memory ${id || '(no id)'}: ${at === undefined ? 'no time' : 'no content'}`;
    return { kind: 'problem', file: url, reason };
  }
  return {
    kind: 'memory',
    key: `evermem\n${id || `${at}\n${draft.title}\n${draft.body}`}`,
    source: `memory:${id}`,
    at,
    draft,
    agent: 'claude-code',
    session: '',
    place,
  };
}

interface Page {
  readonly memories: readonly Loose[];
  readonly more: boolean;
}

/** Returns a page, or the reason why there is none. The reason never contains the key. */
async function ask(api: PeerApi, group: string, page: number, signal: AbortSignal): Promise<Page | string> {
  const query = new URLSearchParams({
    user_id: api.user,
    memory_type: 'episodic_memory',
    page: String(page),
    page_size: String(PAGE),
    ...(group === '' ? {} : { group_ids: group }),
  });
  try {
    const response = await fetch(`${api.url.replace(/\/+$/, '')}/api/v0/memories?${query}`, {
      headers: { authorization: `Bearer ${api.key}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      redirect: 'error', // the key is for this address only
    });
    if (response.status === 401 || response.status === 403) return 'the key was refused (EVERMEM_API_KEY)';
    if (!response.ok) return `answered ${response.status}`;
    return pageIn(await bounded(response));
  } catch (error) {
    if (error instanceof SyntaxError) return 'its answer is not JSON';
    return error instanceof Error && error.name === 'TimeoutError'
      ? 'no answer in time'
      : 'cannot be reached';
  }
}

async function bounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MOST_BYTES) throw new Error('too long');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function pageIn(json: string): Page | string {
  const { result } = JSON.parse(json) as { result?: Loose };
  const list = result?.['memories'];
  if (!Array.isArray(list)) return 'its answer contains no memories';
  const memories = list.filter((row): row is Loose => typeof row === 'object' && row !== null);
  return { memories, more: result?.['has_more'] !== false && memories.length >= PAGE };
}

function keyOf(row: Loose): string {
  return text(row, 'id') || JSON.stringify(row);
}
