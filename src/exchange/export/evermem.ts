/**
 * Exports to EverMem: `groups.jsonl` and `sessions.jsonl` as its plugin stores them, and `memories.jsonl` with one body of
 * its `POST /api/v0/memories` per line. Pure.
 */
import { isLive, type Memory, type Session } from '../../core/index.ts';
import { byTime } from './export-record.ts';

export interface EverMemProject {
  /** EverMem's id of the project: `ever_a3f2c`. */
  readonly group: string;
  readonly name: string;
  readonly path: string;
  readonly sessions: readonly Session[];
  readonly memories: readonly Memory[];
}

/** EverMem cuts the first prompt, which is its summary of a session. */
const SUMMARY_CHARS = 200;

export function everMemFiles(
  projects: readonly EverMemProject[],
): readonly { readonly name: string; readonly text: string }[] {
  return [
    { name: 'groups.jsonl', text: lines(projects.map(groupOf)) },
    { name: 'sessions.jsonl', text: lines(projects.flatMap(sessionsOf)) },
    { name: 'memories.jsonl', text: lines(projects.flatMap(memoriesOf)) },
  ];
}

function groupOf({ group, name, path, sessions, memories }: EverMemProject): object {
  const times = [...sessions.map(({ startedAt }) => startedAt), ...memories.map(({ at }) => at)].toSorted();
  return { keyId: '', groupId: group, name, path, timestamp: times[0] ?? '' };
}

function sessionsOf({ group, sessions }: EverMemProject): readonly object[] {
  return sessions.map(({ id, title = '', turns, reason = '', startedAt, lastAt, endedAt = lastAt }) => ({
    sessionId: id,
    groupId: group,
    summary: title.slice(0, SUMMARY_CHARS),
    turnCount: turns,
    reason,
    startTime: startedAt,
    endTime: endedAt,
    timestamp: endedAt,
  }));
}

/** Leaves out ended memories: EverMem has no states and would show them as current. */
function memoriesOf({ group, name, memories }: EverMemProject): readonly object[] {
  return memories
    .filter(isLive)
    .toSorted(byTime)
    .map((memory) => ({
      message_id: `tidemark_${memory.id}`,
      create_time: memory.at,
      sender: 'claude-code-user',
      sender_name: 'User',
      role: 'user',
      content: contentOf(memory),
      group_id: group,
      group_name: name,
    }));
}

/** `decision: Use pg-boss`, then the text below it. */
function contentOf({ kind, title, body, reason, facts, files }: Memory): string {
  const parts = [
    `${kind.replace('_', ' ')}: ${title}`,
    body,
    reason === undefined ? '' : `Reason: ${reason}`,
    facts.map((fact) => `- ${fact}`).join('\n'),
    files.length > 0 ? `Files: ${files.join(', ')}` : '',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function lines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
