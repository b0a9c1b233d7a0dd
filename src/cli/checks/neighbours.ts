/**
 * Finds other memories of this client: its own, other memory plugins, and data they left. Each one that injects costs
 * tokens, and its data can be imported.
 */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { claudeConfigDir, claudeNotesFolder, type ClientSettings } from '../../agents/index.ts';
import { detectPeers, type PeerFound, type PeerName } from '../../exchange/import/index.ts';
import { REPLACEABLE } from '../peer-plugins.ts';
import { counted } from '../screen.ts';
import type { Context } from '../verb.ts';
import { amounts } from '../verbs/data/import-peers.ts';
import { textOf } from './_files.ts';
import { checkOf, type Check } from './check.ts';

interface Peer {
  readonly name: string;
  /** Found in a plugin's id, a hook's command or an MCP server's name or command. */
  readonly mark: RegExp;
  /** Its effect on a session, according to its documentation or code. */
  readonly does: string;
}

const PEERS: readonly Peer[] = [
  { name: 'claude-mem', mark: /claude-mem\b/i, does: 'a hook and a model request for every tool call' },
  { name: 'memsearch', mark: /\bmemsearch\b/i, does: 'a model request for every answer' },
  {
    name: 'EverMem',
    mark: /\bever(?:mem|me|mind|os)\b|evermem/i,
    does: 'prompts and answers go to its server',
  },
  {
    name: 'Memory Keeper',
    mark: /memory-keeper|\bcrabshell\b/i,
    does: 'it tells the model to save every few tool calls',
  },
  { name: 'mem0', mark: /\bmem0\b|openmemory/i, does: 'conversations go to its server or model' },
  { name: 'Hindsight', mark: /\bhindsight\b/i, does: 'conversations go to its server and model' },
  { name: 'agentmemory', mark: /\bagent-?memory\b/i, does: 'it may ask a model for every tool call' },
  { name: 'MemPalace', mark: /\bmempalace\b/i, does: 'it stores and injects whole conversations' },
  { name: 'basic-memory', mark: /\bbasic-memory\b/i, does: 'its tools are listed next to ours' },
  { name: 'episodic-memory', mark: /\bepisodic-memory\b/i, does: 'it summarises sessions with a model' },
  { name: 'supermemory', mark: /\bsupermemory\b/i, does: 'conversations go to its server' },
  { name: 'Graphiti', mark: /\bgraphiti\b|\bzep\b/i, does: 'it asks a model for every episode' },
];

/** The client loads its memory files in full into every session: about four characters per token. */
const CHARS_PER_TOKEN = 4;
/** A CLAUDE.md above this costs more than our longest brief. */
const LONG_TOKENS = 2500;

export function peers({ plugins, hookCommands, servers }: ClientSettings): readonly Check[] {
  const check = checkOf('other memories');
  const found = PEERS.flatMap((peer) => {
    const enabled = [...plugins].filter(([id, on]) => on && peer.mark.test(id)).map(([id]) => id);
    const hooks = hookCommands.filter((command) => peer.mark.test(command)).length;
    const tools = servers.filter((server) => peer.mark.test(server)).length;
    const how = [
      ...enabled.map((id) => `plugin ${id}`),
      ...(hooks > 0 ? [counted(hooks, 'hook')] : []),
      ...(tools > 0 ? [counted(tools, 'MCP server')] : []),
    ];
    return how.length > 0 ? [{ peer, how, plugin: enabled[0] }] : [];
  });
  if (found.length === 0) return [check.well('no other memory plugin is on')];
  return found.map(({ peer, how, plugin }) =>
    check.note(
      `${peer.name} (${how.join(', ')}) also runs: both read every session and both inject; ${peer.does}`,
      plugin ? offTo(peer.name, plugin) : 'Keep only one that injects.',
    ),
  );
}

/** A tool whose data can be imported first is replaced by one command. */
function offTo(name: string, plugin: string): string {
  const off = `claude plugin disable ${plugin}`;
  return REPLACEABLE.some((one) => one === name)
    ? `Keep only one that injects. To import its memories and then turn it off: tidemark import ${name} --disable (only turn it off: ${off})`
    : `Keep only one that injects. To turn it off: ${off}`;
}

/** Comparing with years of data takes too long for a check: then only its own counts are shown. */
const COMPARE_MS = 5000;

/** Reports memories of other tools that were not imported, one check per tool. `ownMemory` reports the client's own. */
export async function leftByPeers(context: Context, isLive: boolean): Promise<readonly Check[]> {
  const found = detectPeers(context.env, homedir(), [context.cwd]).filter(
    ({ name }) => name !== 'claude-code',
  );
  const checks: Check[] = [];
  for (const name of new Set(found.map((one) => one.name)))
    checks.push(
      await leftBy(
        context,
        name,
        found.filter((one) => one.name === name),
        isLive,
      ),
    );
  return checks;
}

async function leftBy(
  { client, env }: Context,
  peer: PeerName,
  found: readonly PeerFound[],
  isLive: boolean,
): Promise<Check> {
  const check = checkOf('to import');
  const trouble = found.find((one) => one.trouble)?.trouble;
  if (trouble) return check.note(`${peer} left data here that cannot be read: ${trouble}`);
  const next = `tidemark import ${peer} (preview with --dry-run)`;
  const counts = found.map((one) => amounts(one.counts)).filter(Boolean);
  const there = `${peer} left ${counts.join(' and ') || 'data'} here`;
  const report = isLive
    ? await client
        .call(
          'import.peer',
          { peer, found, configDir: claudeConfigDir(env), home: homedir(), dryRun: true },
          undefined,
          AbortSignal.timeout(COMPARE_MS),
        )
        .catch(() => undefined) // the counts are shown in any case
    : undefined;
  if (!report) return check.note(there, next);
  const missing = amounts({ ...report.imported });
  return missing
    ? check.note(`${there}; not imported yet: ${missing}`, next)
    : check.well(`${there}; all imported`);
}

/** Reports the size of the client's own memory, which every session pays for. Tidemark searches it and never writes there. */
export function ownMemory({ configDir, autoMemory }: ClientSettings, cwd: string): readonly Check[] {
  const check = checkOf("client's own memory");
  const files = [join(configDir, 'CLAUDE.md'), join(cwd, 'CLAUDE.md'), join(cwd, 'CLAUDE.local.md')].filter(
    isFile,
  );
  const autoMemoryFile = join(claudeNotesFolder(configDir, cwd), 'MEMORY.md');
  const sizes = [
    ...files.map(
      (path) =>
        `${path === files[0] && path.startsWith(configDir) ? 'your' : 'the project’s'} CLAUDE.md ~${tokensOf(path)} tokens`,
    ),
    ...(autoMemory
      ? [
          isFile(autoMemoryFile)
            ? `auto memory on, ~${tokensOf(autoMemoryFile)} tokens`
            : 'auto memory on, empty here',
        ]
      : ['auto memory off']),
  ];
  const long = files.find((path) => tokensOf(path) > LONG_TOKENS);
  const withPeerText = files.find((path) => /<claude-mem-context>/.test(textOf(path) ?? ''));
  const base = `${sizes.join(', ')}; Tidemark searches these files and never writes there`;
  if (withPeerText)
    return [
      check.note(
        `${base}; ${withPeerText} contains text written by claude-mem`,
        'Remove its <claude-mem-context> block by hand if you no longer use it.',
      ),
    ];
  if (long)
    return [
      check.note(
        base,
        `${long} is loaded in full into every session; keep rules there and leave history to Tidemark.`,
      ),
    ];
  return [check.well(base)];
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function tokensOf(path: string): number {
  return Math.round((textOf(path)?.length ?? 0) / CHARS_PER_TOKEN);
}
