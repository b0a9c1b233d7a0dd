/** Exports memories to claude-mem: the body of its `POST /api/import`. Pure. */
import { SUMMARY_FIELDS, type Memory, type MemoryKind, type SessionSummary } from '../../core/index.ts';

interface ExportedSession {
  readonly id: string;
  readonly startedAt: string;
  readonly title: string;
  readonly summary?: SessionSummary;
}

export interface ProjectExport {
  /** Display name of the project. */
  readonly name: string;
  readonly sessions: readonly ExportedSession[];
  readonly memories: readonly Memory[];
}

/** claude-mem has six types; our kind is added to the concepts. */
const TYPES: Readonly<Record<MemoryKind, string>> = {
  decision: 'decision',
  bugfix: 'bugfix',
  feature: 'feature',
  refactor: 'refactor',
  discovery: 'discovery',
  pattern: 'discovery',
  issue: 'discovery',
  preference: 'decision',
  dead_end: 'discovery',
};

export function claudeMemImport(projects: readonly ProjectExport[]): Readonly<Record<string, unknown[]>> {
  const sessions = projects.flatMap((project) => sessionsOf(project));
  return {
    sessions: sessions.map(({ id, startedAt, title, project }) => ({
      content_session_id: id,
      memory_session_id: id,
      project,
      platform_source: 'claude',
      user_prompt: title,
      started_at: startedAt,
      started_at_epoch: Date.parse(startedAt),
      completed_at: null,
      completed_at_epoch: null,
      status: 'completed',
    })),
    summaries: sessions.flatMap(({ id, startedAt, summary, project }) =>
      summary
        ? [
            {
              memory_session_id: id,
              project,
              ...Object.fromEntries(SUMMARY_FIELDS.map((field) => [field, summary[field]])),
              prompt_number: 1,
              created_at: startedAt,
              created_at_epoch: Date.parse(startedAt),
            },
          ]
        : [],
    ),
    observations: projects.flatMap(({ name, memories }) =>
      memories.map((memory) => observation(memory, name)),
    ),
    prompts: [],
  };
}

/** Every observation needs a session, also those without a session heading in the journal. */
function sessionsOf({ name, sessions, memories }: ProjectExport) {
  const known = new Map(sessions.map((session) => [session.id, { ...session, project: name }]));
  for (const memory of memories) {
    const id = sessionIdOf(memory);
    if (!known.has(id)) known.set(id, { id, startedAt: memory.at, title: memory.title, project: name });
  }
  return [...known.values()];
}

function observation(memory: Memory, project: string) {
  const { kind, title, body, reason, facts, concepts, files, state, at } = memory;
  const tags = [kind, ...(state === 'resolved' || state === 'superseded' ? [state] : []), ...concepts];
  return {
    memory_session_id: sessionIdOf(memory),
    project,
    text: null,
    type: TYPES[kind],
    title,
    subtitle: reason ?? null,
    narrative: body,
    facts: JSON.stringify(facts),
    concepts: JSON.stringify([...new Set(tags)]),
    files_read: JSON.stringify([]),
    files_modified: JSON.stringify(files),
    prompt_number: 1,
    created_at: at,
    created_at_epoch: Date.parse(at),
  };
}

function sessionIdOf({ provenance }: Memory): string {
  return provenance.session || 'tidemark';
}
