/** Optional steps of install: past sessions, a model for search by meaning, a model for distilling. */
import { claudeConfigDir } from '../../../agents/index.ts';
import { loadConfig, setConfig } from '../../../config/index.ts';
import { type ImportReport, listTranscripts } from '../../../exchange/import/index.ts';
import { bar, counted, size, tilde } from '../../screen.ts';
import type { Context } from '../../verb.ts';
import { bringHistory } from '../data/import-history.ts';
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
const WAITING_MS = 1000;
const CONSENT_COMMAND = 'tidemark config set distill.consent true';

/** Lists the optional steps for `--dry-run`, one line each. Asks nothing and starts nothing. */
export async function plannedOffers({ env, places, options }: Context): Promise<readonly string[]> {
  const { values, origins } = loadConfig({ places, env });
  const may = options['yes'] ? '' : 'ask whether to ';
  const there = options['no-history'] ? [] : listTranscripts(claudeConfigDir(env));
  const bytes = there.reduce((sum, one) => sum + one.bytes, 0);
  const { wanted, isThere } = await wantedModel({ places, env });
  const isOffered = wanted && !isThere && !options['no-model'];
  const isDecided = origins['distill.consent'] !== 'default' || values['distill.driver'] === 'local';
  const isConsentAsked = !isDecided && !options['yes'];
  return [
    ...(there.length > 0
      ? [`${may}import what is new in ${counted(there.length, 'past session')}, ${size(bytes)}: free`]
      : []),
    ...(isOffered ? [`${may}download a model for search by meaning, ${size(bytesOf(wanted))}: free`] : []),
    ...(isConsentAsked
      ? [
          `ask whether a model may write better memories: at most ${dollars(values['distill.dailyUsd'])} a day`,
        ]
      : []),
  ];
}

/** Returns the default model if the settings use a local one, and whether it is installed. */
async function wantedModel({ places, env }: Pick<Context, 'places' | 'env'>) {
  const embed = await import('../../../models/index.ts');
  const driver = loadConfig({ places, env }).values['embed.driver'];
  const isLocal = driver === 'auto' || driver === 'local';
  const wanted = isLocal ? embed.CATALOGUE.find(({ id }) => id === embed.DEFAULT_MODEL) : undefined;
  return { embed, driver, wanted, isThere: wanted !== undefined && embed.isInstalled(places.models, wanted) };
}

function bytesOf({ files }: { readonly files: readonly { readonly bytes: number }[] }): number {
  return files.reduce((sum, file) => sum + file.bytes, 0);
}

export async function offerHistory(context: Context, guide: Guide): Promise<Offered<ImportReport>> {
  const { env, options } = context;
  const configDir = claudeConfigDir(env);
  if (listTranscripts(configDir).length === 0) {
    guide.note('History', `no past sessions in ${tilde(configDir)}`);
    return { already: 'no past sessions' };
  }
  const how = 'tidemark import history';
  if (options['no-history']) return { leftOut: { what: 'Past sessions', how } };
  // The daemon knows what was read before and which projects are ignored.
  const {
    sessions,
    unread,
    unreadBytes: bytes,
  } = await context.client.call('import.history', { configDir, dryRun: true });
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
      [`Free, runs only on this machine, takes about ${duration(seconds)}. No duplicates.`],
      true,
    ),
  );
  if (!wanted) return { leftOut: later };
  const report = await bringHistory(context, configDir);
  guide.done(
    'History',
    `${counted(report.sessions, 'session')} of ${counted(report.projects, 'project')}: ${counted(report.turns, 'new turn')}, ${counted(report.memories, 'memory')}`,
  );
  return { done: report };
}

export async function offerModel(context: Context, guide: Guide): Promise<Offered<{ readonly id: string }>> {
  const { places, env, options, screen, client } = context;
  const { embed, driver, wanted, isThere } = await wantedModel(context);
  if (!wanted) return { already: `embed.driver is ${driver}` };
  if (isThere) {
    guide.done('Meaning', `${wanted.id} is installed`);
    return { already: wanted.id };
  }
  const bytes = bytesOf(wanted);
  const later = { what: 'Search by meaning, not only by words', how: 'tidemark model install' };
  if (options['no-model']) return { leftOut: later };
  const agreed = await decide(context, () =>
    guide.ask(
      'Search memories by meaning, not only by words?',
      [`Downloads a model of ${size(bytes)} once and verifies its hash; it runs on this machine.`],
      true,
    ),
  );
  if (!agreed) return { leftOut: later };
  const waiting = showWaiting(guide);
  try {
    await embed.installModel(wanted, {
      folder: places.models,
      env,
      signal: waiting.signal,
      onProgress: ({ done, total, source }) =>
        waiting.show(`${bar(done, total)}  ${size(done)} from ${source}`),
    });
    waiting.end();
    await client.call('embed.reload', {});
    guide.done('Meaning', `${wanted.id} installed, hash verified`);
    return { done: { id: wanted.id } };
  } catch (error) {
    const why = waiting.signal.aborted ? 'skipped' : error instanceof Error ? error.message : String(error);
    waiting.end();
    guide.failed('Meaning', `not downloaded, search uses words only: ${why}`);
    return { leftOut: later, why };
  } finally {
    screen.done();
  }
}

/** Shows progress while a slow host answers. Ctrl-C ends only this step. */
function showWaiting(guide: Guide): {
  readonly signal: AbortSignal;
  readonly show: (text: string) => void;
  readonly end: () => void;
} {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.on('SIGINT', interrupt);
  const startedAt = Date.now();
  let shown = '';
  const draw = (): void => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    guide.working(shown || `downloading the model, ${seconds} s (Ctrl-C skips it)`);
  };
  const timer = setInterval(draw, WAITING_MS);
  draw();
  return {
    signal: stop.signal,
    show: (text) => {
      shown = text;
      draw();
    },
    end: () => {
      clearInterval(timer);
      process.off('SIGINT', interrupt);
    },
  };
}

/** Asks once. Only a user at a terminal can consent: --yes and an unattended install never spend. */
export async function offerConsent(
  context: Context,
  guide: Guide,
): Promise<Offered<{ readonly consent: boolean }>> {
  const { places, env, client } = context;
  const { values, origins } = loadConfig({ places, env });
  if (values['distill.driver'] === 'local') return { already: 'distill.driver is local' };
  const limit = `by a model, at most ${dollars(values['distill.dailyUsd'])} a day`;
  if (values['distill.consent']) {
    guide.done('Distilling', limit);
    return { already: 'agreed' };
  }
  const later = { what: 'A language model that writes better memories', how: CONSENT_COMMAND };
  if (origins['distill.consent'] !== 'default') {
    guide.done('Distilling', `without a model, as set; to change it: ${CONSENT_COMMAND}`);
    return { already: 'declined' };
  }
  if (!mayAsk(context)) return { leftOut: later };
  const offer = await client.call('distill.offer', { configDir: claudeConfigDir(env) });
  const agreed = await guide.askTyped(offer.question, [offer.without, offer.sent, offer.cost]);
  setConfig(places, 'distill.consent', agreed);
  if (agreed) guide.done('Distilling', `${limit}; see: tidemark cost`);
  else guide.done('Distilling', `without a model; to change it: ${CONSENT_COMMAND}`);
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
