/** The optional step of install: past sessions. */
import { findSessions, sessionSources } from '../../../agents/index.ts';
import { type ImportReport } from '../../../exchange/import/index.ts';
import { counted, size } from '../../screen.ts';
import type { Context } from '../../verb.ts';
import { agentLines, bringHistory, keepingLine } from '../data/import-history.ts';
import type { Guide } from './_guide.ts';

export interface LeftOut {
  readonly what: string;
  readonly how: string;
}

export type Offered<T> = { readonly done: T } | { readonly already: string } | { readonly leftOut: LeftOut };

/** Import speed of a busy two-core machine; only used for an estimate. */
const IMPORT_BYTES_PER_SECOND = 6 * 1024 * 1024;

/** Lists it for `--dry-run`. Asks nothing and starts nothing. */
export function plannedHistory({ env, options }: Context): readonly string[] {
  const may = options['yes'] ? '' : 'ask whether to ';
  const there = options['no-history'] ? [] : findSessions(sessionSources(env)).files;
  const bytes = there.reduce((sum, one) => sum + one.bytes, 0);
  if (there.length === 0) return [];
  return [
    `${may}import what is not yet imported of ${counted(there.length, 'past session')}, ${size(bytes)}: free`,
  ];
}

export async function offerHistory(context: Context, guide: Guide): Promise<Offered<ImportReport>> {
  const { env, options } = context;
  const sources = sessionSources(env);
  if (findSessions(sources).files.length === 0) {
    guide.note('History', 'no past sessions on this machine');
    return { already: 'no past sessions' };
  }
  const how = 'tidemark import history';
  if (options['no-history']) return { leftOut: { what: 'Past sessions', how } };
  // The daemon knows what was read before and which projects are ignored.
  const {
    sessions,
    unread,
    unreadBytes: bytes,
    agents,
  } = await context.client.call('import.history', { sources, dryRun: true });
  if (unread === 0) {
    const known =
      sessions === 0 ? 'no past sessions to import' : `${counted(sessions, 'past session')}, all known`;
    guide.done('History', known);
    return { already: known };
  }
  const amount = `${counted(unread, 'past session')}, ${size(bytes)}`;
  const later = { what: `${amount} of history`, how };
  const seconds = Math.max(1, Math.ceil(bytes / IMPORT_BYTES_PER_SECOND));
  const wanted = await decide(context, () =>
    guide.ask(
      `Import ${amount}?`,
      [
        ...(agents.length > 1 ? agentLines(agents) : []),
        `Free, runs only on this machine, takes about ${duration(seconds)}. No duplicates.`,
      ],
      true,
    ),
  );
  if (!wanted) return { leftOut: later };
  const report = await bringHistory(context, sources);
  guide.done(
    'History',
    `${counted(report.sessions, 'session')} of ${counted(report.projects, 'project')}: ${counted(report.turns, 'new turn')}, ${counted(report.memories, 'memory')}`,
  );
  const keeping = await keepingLine(context);
  if (keeping) guide.note('Memories', keeping);
  return { done: report };
}

/** Returns true with --yes, the user's answer at a terminal, and false elsewhere. */
async function decide(context: Context, ask: () => Promise<boolean>): Promise<boolean> {
  if (context.options['yes']) return true;
  return mayAsk(context) ? ask() : false;
}

export function mayAsk({ options }: Context): boolean {
  return !options['yes'] && !options['json'] && Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

function duration(seconds: number): string {
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} minutes`;
}
