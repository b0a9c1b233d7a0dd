/**
 * A repository with the sessions of several labelled projects, each in a folder of its own, as a team's monorepo has them:
 * more memories than a brief has room for. The sessions take turns, one per day.
 */
import type { LabelledProject, LabelledSession, LabelledTool } from './labelled-sessions.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const FIRST = Date.parse('2026-03-02T09:00:00.000Z');

export function monorepo(
  name: string,
  parts: readonly { readonly folder: string; readonly project: LabelledProject }[],
): LabelledProject {
  const rounds = Math.max(...parts.map(({ project }) => project.sessions.length));
  const sessions = Array.from({ length: rounds }, (_, n) =>
    parts.flatMap(({ folder, project }) => {
      const session = project.sessions[n];
      return session ? [inFolder(session, folder)] : [];
    }),
  ).flat();
  return {
    name,
    sessions: sessions.map((session, day) => ({
      ...session,
      at: new Date(FIRST + day * DAY_MS).toISOString(),
    })),
    labels: [],
    end: { never: [] },
  };
}

function inFolder(session: LabelledSession, folder: string): LabelledSession {
  return {
    ...session,
    id: `${folder}-${session.id}`,
    branch: 'main',
    turns: session.turns.map((turn) => ({
      ...turn,
      ...(turn.tools ? { tools: turn.tools.map((tool) => moved(tool, folder)) } : {}),
    })),
  };
}

function moved(tool: LabelledTool, folder: string): LabelledTool {
  const file = tool.input['file_path'];
  if (typeof file !== 'string' || file.startsWith('/') || file.startsWith('~')) return tool;
  return { ...tool, input: { ...tool.input, file_path: `${folder}/${file}` } };
}
