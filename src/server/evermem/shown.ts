/** A memory as EverMem's clients read one. They put it before a model within a tag of theirs, which it must not close. Pure. */
import type { Memory } from '../../core/index.ts';
import { neutral, plainLine } from '../../privacy/index.ts';

export interface Shown {
  readonly memory: Memory;
  readonly group: string;
  readonly user: string;
  /** Who wrote it, by name. */
  readonly author: string;
  readonly score?: number;
}

/** Both versions of the format, and both of their endpoints, look for the text under another name. */
export function episodeOf({ memory, group, user, author, score }: Shown): Readonly<Record<string, unknown>> {
  const episode = episodeText(memory);
  return {
    id: memory.id,
    user_id: user,
    group_id: group,
    session_id: memory.provenance.session,
    timestamp: memory.at,
    subject: plainLine(neutral(memory.title)),
    summary: episode,
    episode,
    participants: [author],
    kind: memory.kind,
    state: memory.state,
    ...(score === undefined ? {} : { score: Math.round(score * 1000) / 1000 }),
  };
}

/** The client shows a person the title and a model only this: it must be understood alone. */
export function episodeText({ title, body, reason, facts, files, state, kind }: Memory): string {
  const said = [plainLine(title)];
  const lines = [
    said[0] ?? '',
    repeats(said, body) ? '' : body.trim(),
    reason && !repeats(said, reason) ? `Why: ${plainLine(reason)}` : '',
    ...facts.filter((fact) => !repeats(said, fact)).map((fact) => `- ${plainLine(fact)}`),
    files.length > 0 ? `Files: ${plainLine(files.join(', '))}` : '',
    state === 'current' ? '' : `(${kind.replace('_', ' ')}, ${state})`,
  ];
  return neutral(lines.filter(Boolean).join('\n'));
}

/** Whether a text was said already; from then on it was. */
function repeats(said: string[], text: string): boolean {
  const line = plainLine(text);
  if (line === '' || said.some((one) => one.includes(line))) return true;
  said.push(line);
  return false;
}
