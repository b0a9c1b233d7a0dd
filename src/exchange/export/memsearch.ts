/** Exports memories as memsearch's daily files: `.memsearch/memory/YYYY-MM-DD.md`. Pure. */
import type { Memory } from '../../core/index.ts';
import type { ProjectExport } from './claude-mem.ts';
import { byTime } from './export-record.ts';

export function memsearchFiles({
  sessions,
  memories,
}: ProjectExport): readonly { readonly name: string; readonly text: string }[] {
  const titles = new Map(sessions.map(({ id, title }) => [id, title]));
  const days = Map.groupBy(memories.toSorted(byTime), ({ at }) => at.slice(0, 10));
  return [...days].map(([date, ofDay]) => {
    const bySession = Map.groupBy(ofDay, ({ provenance }) => provenance.session);
    const parts = [...bySession].map(([session, some]) => {
      const title = titles.get(session);
      const heading = `## Session ${clock(some[0]?.at ?? '')}${title ? `: ${title}` : ''}`;
      return [heading, ...some.map(entry)].join('\n\n');
    });
    return { name: `${date}.md`, text: `${parts.join('\n\n')}\n` };
  });
}

function entry({ id, at, kind, title, body, reason, facts, files, state, provenance }: Memory): string {
  const suffix = state === 'resolved' || state === 'superseded' ? ` (${state})` : '';
  const lines = [
    `${kind.replace('_', ' ')}${suffix}: ${title}`,
    body,
    reason ? `Reason: ${reason}` : '',
    ...facts,
    files.length > 0 ? `Files: ${files.join(', ')}` : '',
  ];
  const bullets = lines.filter(Boolean).map((line) => `- ${line.replaceAll('\n', '\n  ')}`);
  return [`### ${clock(at)}`, anchor(id, provenance), ...bullets].join('\n');
}

/** Session, turn and id, for a later import. */
function anchor(id: string, { session, turn }: Memory['provenance']): string {
  return `<!-- session:${session} turn:${turn} tidemark:${id} -->`.replace(/ turn:(?= )/, '');
}

function clock(at: string): string {
  return at.slice(11, 16);
}
