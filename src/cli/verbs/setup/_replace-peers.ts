/**
 * Offers users of another memory tool to import its memories and then to turn its plugin off, so that only one reads every
 * session and injects. Asks for both; without a terminal only the option `--replace-claude-mem` does it.
 */
import { homedir } from 'node:os';
import { detectPeers, type PeerFound, type PeerName } from '../../../exchange/import/index.ts';
import { pluginsOf, REPLACEABLE, turnOff, type PeerPlugin } from '../../peer-plugins.ts';
import type { Context } from '../../verb.ts';
import { amounts, bringPeer, isComplete } from '../data/import-peers.ts';
import type { Guide } from './_guide.ts';
import { mayAsk, type Offered } from './_offers.ts';

export interface Replaced {
  readonly name: PeerName;
  /** `3 sessions, 101 memories` */
  readonly imported: string;
  readonly turnedOff: readonly string[];
}

/** `--replace-claude-mem` */
export function replaceOption(name: PeerName): string {
  return `replace-${name}`;
}

/** Lists the offers for `--dry-run`. */
export function plannedReplacements(context: Context): readonly string[] {
  return REPLACEABLE.flatMap((name) => {
    const isDecided = Boolean(context.options[replaceOption(name)]);
    if (!isDecided && context.options['yes']) return [];
    const may = isDecided ? '' : 'ask whether to ';
    const { found, plugins } = lookFor(context, name);
    return [
      ...(found.length > 0 ? [`${may}import the memories of ${name}`] : []),
      ...plugins.map(({ id, agent }) => `${may}turn off ${id} in ${agent}`),
    ];
  });
}

export async function offerReplacements(
  context: Context,
  guide: Guide,
): Promise<readonly Offered<Replaced>[]> {
  const offers: Offered<Replaced>[] = [];
  for (const name of REPLACEABLE) offers.push(await offerOne(context, guide, name));
  return offers;
}

async function offerOne(context: Context, guide: Guide, name: PeerName): Promise<Offered<Replaced>> {
  const { found, plugins } = lookFor(context, name);
  const missing = found.length > 0 ? await notImported(context, name, found) : '';
  if (missing === '' && plugins.length === 0) return { already: 'not used' };
  const later = { what: leftWords(name, missing, plugins), how: `tidemark import ${name} --disable` };
  const isDecided = Boolean(context.options[replaceOption(name)]);
  if (!isDecided && !mayAsk(context)) return { leftOut: later };
  let imported = '';
  if (missing !== '') {
    const wanted =
      isDecided ||
      (await guide.ask(
        `Import the memories of ${name}: ${missing}?`,
        ['Free. Its files are only read, and stay.'],
        true,
      ));
    if (!wanted) return { leftOut: later };
    const report = await bringPeer(context, name, { found });
    imported = amounts({ ...report.imported });
    if (!isComplete(report)) {
      guide.failed(name, `not all of it could be imported, so it stays on: tidemark import ${name}`);
      return { leftOut: later };
    }
    guide.done(name, `${imported || 'nothing new'} imported`);
  }
  const turnedOff = await turnOffIfWanted(context, guide, name, plugins, isDecided);
  if (plugins.length > 0 && turnedOff.length === 0) return { leftOut: later };
  return { done: { name, imported, turnedOff } };
}

async function turnOffIfWanted(
  { env }: Context,
  guide: Guide,
  name: PeerName,
  plugins: readonly PeerPlugin[],
  isDecided: boolean,
): Promise<readonly string[]> {
  if (plugins.length === 0) return [];
  const where = plugins.map(({ id, agent }) => `${id} in ${agent}`).join(', ');
  const wanted =
    isDecided ||
    (await guide.ask(
      `Turn ${name} off?`,
      [
        `Both read every session and both inject memories, so each fact costs twice. This runs: ${plugins.map(({ id, plugins: of }) => of.command('disable', id)).join('; ')}`,
        'Its data stays, and it can be turned on again.',
      ],
      true,
    ));
  if (!wanted) return [];
  try {
    for (const line of await turnOff(plugins, env)) guide.done(name, line);
    return plugins.map(({ id }) => id);
  } catch (error) {
    guide.failed(
      name,
      `${where} could not be turned off: ${error instanceof Error ? error.message : String(error)}`,
    );
    return [];
  }
}

function lookFor(
  { env, cwd }: Context,
  name: PeerName,
): { readonly found: readonly PeerFound[]; readonly plugins: readonly PeerPlugin[] } {
  return {
    found: detectPeers(env, homedir(), [cwd]).filter((one) => one.name === name && !one.trouble),
    plugins: pluginsOf(name, { env, cwd }),
  };
}

/** `2 sessions, 101 memories`; empty if all of it is known. */
async function notImported(context: Context, name: PeerName, found: readonly PeerFound[]): Promise<string> {
  const report = await bringPeer(context, name, { found, dryRun: true }, { isQuiet: true });
  return amounts({ ...report.imported });
}

function leftWords(name: PeerName, missing: string, plugins: readonly PeerPlugin[]): string {
  const parts = [
    ...(missing === '' ? [] : [`${missing} to import`]),
    ...plugins.map(({ agent }) => `it still runs in ${agent}`),
  ];
  return `${name}: ${parts.join(', and ')}`;
}
