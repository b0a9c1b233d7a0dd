/** Optional steps of install: past sessions, a language model for distilling. */
import { findSessions, sessionSources } from '../../../agents/index.ts';
import { loadConfig, setConfig } from '../../../config/index.ts';
import { type ImportReport } from '../../../exchange/import/index.ts';
import { counted, size } from '../../screen.ts';
import type { Context } from '../../verb.ts';
import { agentLines, bringHistory, keepingLine } from '../data/import-history.ts';
import { dollars } from '../recall/cost.ts';
import type { Guide } from './_guide.ts';

export interface LeftOut {
  readonly what: string;
  readonly how: string;
}

export type Offered<T> =
  | { readonly done: T }
  | { readonly already: string }
  | { readonly leftOut: LeftOut; readonly why?: string };

/** Import speed of a busy two-core machine; only used for an estimate. */
const IMPORT_BYTES_PER_SECOND = 6 * 1024 * 1024;
const CONSENT_COMMAND = 'tidemark config set distill.consent true';

/** Lists the optional steps for `--dry-run`, one line each. Asks nothing and starts nothing. */
export function plannedOffers({ env, places, options }: Context): readonly string[] {
  const { values, origins } = loadConfig({ places, env });
  const may = options['yes'] ? '' : 'ask whether to ';
  const there = options['no-history'] ? [] : findSessions(sessionSources(env)).files;
  const bytes = there.reduce((sum, one) => sum + one.bytes, 0);
  const isDecided = origins['distill.consent'] !== 'default' || values['distill.driver'] === 'local';
  const isConsentAsked = !isDecided && !options['yes'];
  return [
    ...(there.length > 0
      ? [
          `${may}import what is not yet imported of ${counted(there.length, 'past session')}, ${size(bytes)}: free`,
        ]
      : []),
    ...(isConsentAsked
      ? [
          `ask whether a language model may write better memories: at most ${dollars(values['distill.dailyUsd'])} a day`,
        ]
      : []),
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

/** Asks once. Only a user at a terminal can consent: --yes and an unattended install never spend. */
export async function offerConsent(
  context: Context,
  guide: Guide,
): Promise<Offered<{ readonly consent: boolean }>> {
  const { places, env, client } = context;
  const { values, origins } = loadConfig({ places, env });
  if (values['distill.driver'] === 'local') return { already: 'distill.driver is local' };
  const limit = `by a language model, at most ${dollars(values['distill.dailyUsd'])} a day`;
  if (values['distill.consent']) {
    guide.done('Distilling', limit);
    return { already: 'agreed' };
  }
  const later = { what: 'A language model that writes better memories', how: CONSENT_COMMAND };
  if (origins['distill.consent'] !== 'default') {
    guide.done('Distilling', `without a language model (your setting); to change it: ${CONSENT_COMMAND}`);
    return { already: 'declined' };
  }
  if (!mayAsk(context)) return { leftOut: later };
  const offer = await client.call('distill.offer', { sources: sessionSources(env) });
  if (offer.notReady) {
    guide.note('Distilling', `without a language model: ${offer.notReady}`);
    return { leftOut: later, why: offer.notReady };
  }
  const agreed = await guide.ask(offer.question, [offer.short, offer.cost], false);
  setConfig(places, 'distill.consent', agreed);
  if (agreed) guide.done('Distilling', `${limit}; see: tidemark cost`);
  else guide.done('Distilling', `without a language model; to change it: ${CONSENT_COMMAND}`);
  return { done: { consent: agreed } };
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
