/**
 * Installs everything: the plugin, past sessions, the model for search by meaning, and consent to a model that costs
 * money, which only the user can give.
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
import { flag, type Context, type Verb } from '../../verb.ts';
import { foundLine } from '../data/import-peers.ts';
import { openGuide, type Guide } from './_guide.ts';
import { offerNoteRules } from './_allow-notes.ts';
import { offerConsent, offerHistory, plannedOffers, type Offered } from './_offers.ts';
import { putInPlace, type InPlace } from './_put-in-place.ts';

export const install: Verb = {
  name: 'install',
  usage: 'install [--yes] [--no-history] [--allow-notes | --no-allow-notes] [--dry-run]',
  summary: 'Install Tidemark into Claude Code, or update it.',
  options: {
    yes: flag('Ask nothing: import history, use no language model.', 'y'),
    'no-history': flag('Do not import past sessions.'),
    'allow-notes': flag(
      'Let the agent use remember and resolve without a dialog; uninstall removes the rules.',
    ),
    'no-allow-notes': flag('Remove these rules again.'),
    'dry-run': flag('Show what would be done, and do nothing.'),
  },
  examples: ['npx tidemark install', 'tidemark install --yes --no-history', 'tidemark install --dry-run'],
  async run(context) {
    const { options, screen, env } = context;
    const guide = openGuide(context, options['json'] === true);
    guide.heading(`Tidemark ${VERSION}`, 'memory for coding agents that outlives the session');
    guide.done('Node', process.versions.node);
    const claude = await findClaudeCode(env);
    guide.done('Claude Code', `${claude.version}, ${tilde(claude.path)}`);
    if (options['dry-run']) return dryRun(context, guide, claude);

    const placed = await putInPlace(context, guide, claude);
    await showModel(guide, placed.dist);
    showPlaces(context.places, guide);
    const client = openClient(context.places, env, placed.dist);
    const offered = await offerAll({ ...context, client }, guide);
    if (options['json'])
      return screen.json({ version: VERSION, node: process.versions.node, claude, ...placed, ...offered });
    showPeers(guide, offered.peers, placed.command);
    showNextSteps(context, guide, placed, offered);
  },
};

interface AllOffered {
  readonly history: Offered<ImportReport>;
  readonly consent: Offered<{ readonly consent: boolean }>;
  /** Rules for the agent's notes by tool. */
  readonly notes: Offered<{ readonly rules: readonly string[] }>;
  /** Data of other memory tools; imported only on request. */
  readonly peers: readonly PeerFound[];
}

async function offerAll(context: Context, guide: Guide): Promise<AllOffered> {
  const history = await offerHistory(context, guide);
  const consent = await offerConsent(context, guide);
  const notes = await offerNoteRules(context, guide);
  return { history, consent, notes, peers: detectPeers(context.env, homedir(), [context.cwd]) };
}

async function showModel(guide: Guide, dist: string): Promise<void> {
  const { checkSmallModel, REINSTALL, smallModelFolder } = await import('../../../models/index.ts');
  const found = checkSmallModel(smallModelFolder(join(dist, 'embedder.cjs')));
  if (found.kind === 'complete') guide.done('Model', `${found.version}, ships with Tidemark and runs here`);
  else guide.failed('Model', `${found.why}; memories are found by words only. ${REINSTALL}`);
}

function showPeers(guide: Guide, peers: readonly PeerFound[], command: string): void {
  if (peers.length === 0) return;
  guide.section('Other memories on this machine');
  for (const peer of peers) guide.line(foundLine(peer));
  guide.pair(`${command} import <tool>`, 'imports one; its files are only read');
}

async function dryRun(context: Context, guide: Guide, claude: ClaudeCode): Promise<void> {
  const { places, env, options, screen } = context;
  const origin = ownOrigin(places);
  const commands = plannedCommands({ places, env, origin });
  const root = marketplaceRoot(origin, places) ?? origin.root;
  const command = commandFor(join(root, 'plugin'), env);
  const steps = [
    ...(root === origin.root ? [] : [`copy new program files to ${tilde(root)}`]),
    ...(commands.length > 0 ? commands : ['leave the plugin unchanged: it is installed and complete']),
    ...oldHooks(places, env).map((path) => `replace the unsafe hooks of an older version in ${tilde(path)}`),
    ...(command.kind === 'possible' ? [`create the command ${tilde(command.path)}`] : []),
    ...plannedOffers(context),
    ...(options['allow-notes'] ? [`allow remember and resolve in the client's settings.json`] : []),
  ];
  if (options['json'])
    return screen.json({ version: VERSION, claude, origin, commands, steps, home: places.home });
  showPlaces(places, guide);
  guide.section('What would be done');
  screen.print(steps.join('\n'));
}

function showPlaces(places: Places, guide: Guide): void {
  guide.section('What is stored, and where');
  const rows = [
    [places.journal, 'memories in Markdown: read, edit and commit them'],
    [places.turns, 'conversations, redacted before they are written'],
    [places.home, 'everything: only you can read it; delete the folder to remove all'],
  ] as const;
  const width = Math.max(...rows.map(([path]) => tilde(path).length));
  for (const [path, what] of rows) guide.pair(tilde(path).padEnd(width), what);
  guide.line('');
  guide.line('Nothing leaves this machine and nothing is spent unless you allow it.');
}

function showNextSteps(
  { screen }: Context,
  guide: Guide,
  { command }: InPlace,
  { history, consent, notes }: AllOffered,
): void {
  const { paintTalk: paint } = screen;
  const tidemark = command;
  const left = [history, consent, notes].flatMap((one) => ('leftOut' in one ? [one.leftOut] : []));
  if (left.length > 0) {
    guide.section('Skipped for now');
    for (const { what, how } of left) {
      guide.line(what);
      guide.line(`→ ${how.replace(/^tidemark/, tidemark)}`);
    }
  }
  guide.section(`${paint.green('Ready.')} Every new Claude Code session is remembered from now on.`);
  const rows = [
    [`${tidemark} search <words>`, 'search memories'],
    [`${tidemark} hub`, 'open the web page'],
    [`${tidemark} doctor`, 'check that everything works'],
    [`${tidemark} uninstall`, 'remove it; your settings are restored'],
  ] as const;
  const width = Math.max(...rows.map(([call]) => call.length));
  for (const [call, what] of rows) guide.pair(call.padEnd(width), what);
  guide.line('');
}
