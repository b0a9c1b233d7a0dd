/**
 * Everything from nothing to a memory that works: the plugin, past sessions, the model that finds by meaning, and the
 * question of money, which is never answered with yes but by a person.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findClaudeCode, type ClaudeCode } from '../../../agents/index.ts';
import { VERSION, type Places } from '../../../core/index.ts';
import { openClient } from '../../../daemon/index.ts';
import { type ImportReport, detectPeers, type PeerFound } from '../../../exchange/import/index.ts';
import { commandFor, marketplaceRoot, oldHooks, plannedCommands } from '../../../install/index.ts';
import { ownOrigin } from '../../program.ts';
import { tilde } from '../../screen.ts';
import { JSON_OPTION, type Context, type Verb } from '../../verb.ts';
import { foundLine } from '../data/import-peers.ts';
import { openGuide, type Guide } from './_guide.ts';
import { offerConsent, offerHistory, offerModel, plannedOffers, type Offered } from './_offers.ts';
import { putInPlace, type InPlace } from './_put-in-place.ts';

export const install: Verb = {
  name: 'install',
  usage: 'install [--yes] [--no-history] [--no-model] [--dry-run]',
  summary: 'Install Tidemark into Claude Code, or bring an installation up to date.',
  options: {
    yes: {
      type: 'boolean',
      short: 'y',
      doc: 'Ask nothing: bring history in, fetch the model, spend nothing.',
    },
    'no-history': { type: 'boolean', doc: 'Leave past sessions alone.' },
    'no-model': { type: 'boolean', doc: 'Do not fetch the model that finds memories by meaning.' },
    'dry-run': { type: 'boolean', doc: 'Say what would be done, and do nothing.' },
    ...JSON_OPTION,
  },
  examples: ['npx tidemark install', 'tidemark install --yes --no-model', 'tidemark install --dry-run'],
  async run(context) {
    const { options, screen, env } = context;
    const guide = openGuide(context, options['json'] === true);
    guide.heading(`Tidemark ${VERSION}`, 'a memory for coding agents that outlives the session');
    guide.done('Node', process.versions.node);
    const claude = await findClaudeCode(env);
    guide.done('Claude Code', `${claude.version}, ${tilde(claude.path)}`);
    if (options['dry-run']) return dryRun(context, guide, claude);

    const placed = await putInPlace(context, guide, claude);
    tellPlaces(context.places, guide);
    const client = openClient(context.places, env, placed.dist);
    const offered = await offerAll({ ...context, client }, guide);
    if (options['json'])
      return screen.json({ version: VERSION, node: process.versions.node, claude, ...placed, ...offered });
    tellPeers(guide, offered.peers, placed.command);
    farewell(context, guide, placed, offered);
  },
};

interface AllOffered {
  readonly history: Offered<ImportReport>;
  readonly model: Offered<{ readonly id: string }>;
  readonly consent: Offered<{ readonly usdPerDay: number }>;
  /** What other memory tools left here; brought along only when asked for. */
  readonly peers: readonly PeerFound[];
}

async function offerAll(context: Context, guide: Guide): Promise<AllOffered> {
  const history = await offerHistory(context, guide);
  const model = await offerModel(context, guide);
  const consent = await offerConsent(context, guide);
  return { history, model, consent, peers: detectPeers(context.env, homedir(), [context.cwd]) };
}

function tellPeers(guide: Guide, peers: readonly PeerFound[], command: string): void {
  if (peers.length === 0) return;
  guide.section('Other memories on this machine');
  for (const peer of peers) guide.line(foundLine(peer));
  guide.pair(`${command} import <tool>`, 'brings one along; its own files are only read');
}

async function dryRun(context: Context, guide: Guide, claude: ClaudeCode): Promise<void> {
  const { places, env, options, screen } = context;
  const origin = ownOrigin(places);
  const commands = plannedCommands({ places, env, origin });
  const root = marketplaceRoot(origin, places) ?? origin.root;
  const command = commandFor(join(root, 'plugin'), env);
  const steps = [
    ...(root === origin.root ? [] : [`copy the program to ${tilde(root)}, what is new in it`]),
    ...(commands.length > 0 ? commands : ['leave the plugin as it is: installed and whole']),
    ...oldHooks(places, env).map((path) => `replace the unsafe hooks of an older version in ${tilde(path)}`),
    ...(command.kind === 'possible' ? [`put the command into ${tilde(command.path)}`] : []),
    ...(await plannedOffers(context)),
  ];
  if (options['json'])
    return screen.json({ version: VERSION, claude, origin, commands, steps, home: places.home });
  tellPlaces(places, guide);
  guide.section('What would be done');
  screen.print(steps.join('\n'));
}

function tellPlaces(places: Places, guide: Guide): void {
  guide.section('What is kept, and where');
  const rows = [
    [places.journal, 'what is remembered, in Markdown: yours to read, edit and commit'],
    [places.turns, 'what was said, secrets taken out before the first byte'],
    [places.home, 'all there is: for you alone to read, gone with one folder'],
  ] as const;
  const width = Math.max(...rows.map(([path]) => tilde(path).length));
  for (const [path, what] of rows) guide.pair(tilde(path).padEnd(width), what);
  guide.line('');
  guide.line('None of it leaves this machine and nothing is spent unless you say so.');
}

function farewell(
  { screen }: Context,
  guide: Guide,
  { command }: InPlace,
  { history, model, consent }: AllOffered,
): void {
  const { paintTalk: paint } = screen;
  const tidemark = command;
  const left = [history, model, consent].flatMap((one) => ('leftOut' in one ? [one.leftOut] : []));
  if (left.length > 0) {
    guide.section('Left out for now');
    for (const { what, how } of left) {
      guide.line(what);
      guide.line(`→ ${how.replace(/^tidemark/, tidemark)}`);
    }
  }
  guide.section(`${paint.green('Ready.')} Every new Claude Code session is remembered from now on.`);
  const rows = [
    [`${tidemark} search <words>`, 'find something again'],
    [`${tidemark} hub`, 'look at it in the browser'],
    [`${tidemark} doctor`, 'is all well?'],
    [`${tidemark} uninstall`, 'take it out; your settings come back as they were'],
  ] as const;
  const width = Math.max(...rows.map(([call]) => call.length));
  for (const [call, what] of rows) guide.pair(call.padEnd(width), what);
  guide.line('');
}
