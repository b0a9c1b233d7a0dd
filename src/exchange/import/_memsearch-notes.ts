/** Parses a day of memsearch into notes: line, time, anchor and bullets. Fence-aware. Pure. */

export interface Note {
  readonly line: number;
  /** `HH:MM` */
  readonly time: string;
  readonly session: string;
  readonly turn: string;
  /** From the anchor's name for the transcript: Codex writes `rollout:`, OpenCode `db:`. */
  readonly agent: string;
  readonly bullets: readonly string[];
  /** Quoted code with its fences. */
  readonly code: string;
}

const HEADING = /^(#{2,3})\s+(?:Session\s+)?(\d{2}:\d{2})\b/;
const ANCHOR = /^<!--\s*(session:.*?)\s*-->$/;
const BULLET = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/;
const FENCE = /^\s*(?:```|~~~)/;

export function notesIn(text: string): readonly Note[] {
  const notes: { line: number; time: string; anchor: string; bullets: string[]; code: string[] }[] = [];
  let fenced = false;
  for (const [i, raw] of text.replaceAll('\r', '').replaceAll('\0', '').split('\n').entries()) {
    const isFence = FENCE.test(raw);
    if (isFence) fenced = !fenced;
    const heading = fenced ? null : HEADING.exec(raw);
    if (heading) {
      notes.push({ line: i + 1, time: heading[2] ?? '', anchor: '', bullets: [], code: [] });
      continue;
    }
    const note = notes.at(-1);
    if (fenced || isFence) note?.code.push(raw);
    if (!note || fenced || isFence || raw.trim() === '') continue;
    const anchor = ANCHOR.exec(raw.trim());
    if (anchor) note.anchor ||= anchor[1] ?? '';
    else add(note.bullets, raw);
  }
  // A session's heading precedes its first note and has no content.
  return notes
    .filter(({ bullets }) => bullets.length > 0)
    .map(({ line, time, anchor, bullets, code }) => ({
      line,
      time,
      session: valueOf(anchor, 'session'),
      turn: valueOf(anchor, 'turn'),
      agent: /\brollout:/.test(anchor) ? 'codex' : /\bdb:/.test(anchor) ? 'opencode' : 'claude-code',
      bullets,
      code: code.join('\n'),
    }));
}

function add(bullets: string[], raw: string): void {
  const bullet = BULLET.exec(raw);
  const isOwn = bullet && (!/^\s/.test(raw) || bullets.length === 0);
  if (isOwn) bullets.push(bullet[1]?.trim() ?? '');
  else if (bullets.length === 0) bullets.push(raw.trim());
  else bullets.push(`${bullets.pop() ?? ''} ${(bullet?.[1] ?? raw).trim()}`);
}

function valueOf(anchor: string, name: string): string {
  return new RegExp(String.raw`(?:^|\s)${name}:(\S+)`).exec(anchor)?.[1] ?? '';
}
