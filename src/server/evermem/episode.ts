/** A memory in EverMem's format. Clients inject it between tags, which the text must not close. Pure. */
import { plainLine, type Memory } from '../../core/index.ts';
import { neutral } from '../../privacy/index.ts';

export interface ListedMemory {
  readonly memory: Memory;
  readonly group: string;
  readonly user: string;
  /** The author's name. */
  readonly author: string;
  readonly score?: number;
}

/** Repeats the text under each name that the versions and endpoints of the format use. */
export function episodeOf({
  memory,
  group,
  user,
  author,
  score,
}: ListedMemory): Readonly<Record<string, unknown>> {
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

/** Returns a text that is understood without the title, because the client injects only this. */
export function episodeText({ title, body, reason, facts, files, state, kind }: Memory): string {
  const earlier = [plainLine(title)];
  const lines = [
    earlier[0] ?? '',
    repeats(earlier, body) ? '' : body.trim(),
    reason && !repeats(earlier, reason) ? `Why: ${plainLine(reason)}` : '',
    ...facts.filter((fact) => !repeats(earlier, fact)).map((fact) => `- ${plainLine(fact)}`),
    files.length > 0 ? `Files: ${plainLine(files.join(', '))}` : '',
    state === 'current' ? '' : `(${kind.replace('_', ' ')}, ${state})`,
  ];
  return neutral(lines.filter(Boolean).join('\n'));
}

/** Returns whether the text already occurs in `earlier`, and adds it. */
function repeats(earlier: string[], text: string): boolean {
  const line = plainLine(text);
  if (line === '' || earlier.some((one) => one.includes(line))) return true;
  earlier.push(line);
  return false;
}
