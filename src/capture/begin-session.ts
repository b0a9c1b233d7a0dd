/** Registers the session that an event belongs to. */
import { given, type SpooledEvent } from '../core/index.ts';
import { recordSession, type SessionRecord, type Stores } from '../memory/index.ts';
import type { ResolvedProject } from './projects/projects.ts';

/** The client's words for how a session begins, and ours for what happened. */
const CHANGES: Readonly<Record<string, SessionRecord['change']>> = {
  startup: 'started',
  resume: 'resumed',
  fork: 'forked',
  clear: 'cleared',
  compact: 'compacted',
};

/** Registers the session an event speaks of, and how it began if the event says so. */
export async function beginSession(
  stores: Stores,
  event: SpooledEvent,
  placed: ResolvedProject,
): Promise<void> {
  const { input } = event;
  const known = stores.index.session(input.session_id);
  const source = input.hook_event_name === 'SessionStart' ? (input.source ?? 'startup') : undefined;
  if (known && (source === undefined || (known.source === source && known.lastAt >= event.at))) return;
  await recordSession(stores, {
    kind: 'session',
    at: event.at,
    session: input.session_id,
    change: CHANGES[source ?? 'startup'] ?? 'started',
    project: known?.project ?? placed.project.id,
    agent: event.agent,
    status: 'active',
    ...given({
      source,
      title: input.session_title,
      branch: placed.branch,
      worktree: placed.worktree ?? placed.root,
      transcript: input.transcript_path,
    }),
  });
}
