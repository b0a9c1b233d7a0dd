/**
 * What else remembers for this client: its own memory, other memory plugins, and what those left here. What injects costs,
 * and what was remembered elsewhere can be brought along, so the user should know.
 */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { claudeConfigDir } from '../../agents/index.ts';
import { type PeerReport, detectPeers, type PeerFound, type PeerName } from '../../exchange/import/index.ts';
import { counted } from '../screen.ts';
import type { Context } from '../verb.ts';
import { amounts } from '../verbs/data/import-peers.ts';
import type { ClientSettings } from './_client-settings.ts';
import { textOf } from './_files.ts';
import { note, well, type Check } from './check.ts';

interface Peer {
  readonly name: string;
  /** Found in a plugin's id, a hook's command or an MCP server's name or command. */
  readonly mark: RegExp;
  /** What it does to a session, as its own documentation or code has it. */
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
    does: 'it orders the model to save every few tool calls',
  },
  { name: 'mem0', mark: /\bmem0\b|openmemory/i, does: 'conversations go to its server or model' },
  { name: 'Hindsight', mark: /\bhindsight\b/i, does: 'conversations go to its server and model' },
  { name: 'agentmemory', mark: /\bagent-?memory\b/i, does: 'it may ask a model for every tool call' },
  { name: 'MemPalace', mark: /\bmempalace\b/i, does: 'it stores and injects whole conversations' },
  { name: 'basic-memory', mark: /\bbasic-memory\b/i, does: 'its tools stand beside ours' },
  { name: 'episodic-memory', mark: /\bepisodic-memory\b/i, does: 'it summarises sessions with a model' },
  { name: 'supermemory', mark: /\bsupermemory\b/i, does: 'conversations go to its server' },
  { name: 'Graphiti', mark: /\bgraphiti\b|\bzep\b/i, does: 'it asks a model for every episode' },
];

/** Files of the client's own memory are loaded whole into every session: about four characters to a token. */
const CHARS_PER_TOKEN = 4;
/** Beyond this a CLAUDE.md costs more than our brief does at most. */
const LONG_TOKENS = 2500;

export function peers({ plugins, hookCommands, servers }: ClientSettings): readonly Check[] {
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
  if (found.length === 0) return [well('other memories', 'no other memory plugin is on')];
  return found.map(({ peer, how, plugin }) =>
    note(
      'other memories',
      `${peer.name} (${how.join(', ')}) works beside us: both read every session and both inject; ${peer.does}`,
      plugin
        ? `Keep one that injects. To switch that one off: claude plugin disable ${plugin}`
        : 'Keep one that injects.',
    ),
  );
}

/** A database of years takes longer than anybody waits for a check: then its own counts are told. */
const COMPARE_MS = 5000;

/** What other tools remember and we do not, one check a tool. The client's own memory is told by `ownMemory`. */
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
  const title = 'to bring along';
  const trouble = found.find((one) => one.trouble)?.trouble;
  if (trouble) return note(title, `${peer} left something here that cannot be read: ${trouble}`);
  const next = `tidemark import ${peer} (--dry-run says first what would come)`;
  const told = found.map(({ counts }) => amounts(counts)).filter(Boolean);
  const there = `${peer} left ${told.join(' and ') || 'something'} here`;
  const report = isLive
    ? await client
        .call<PeerReport>(
          'import.peer',
          { peer, found, configDir: claudeConfigDir(env), home: homedir(), dryRun: true },
          undefined,
          AbortSignal.timeout(COMPARE_MS),
        )
        .catch(() => undefined) // not worth a failure: what was found is told all the same
    : undefined;
  if (!report) return note(title, there, next);
  const missing = amounts({ ...report.imported });
  return missing
    ? note(title, `${there}; not in this memory yet: ${missing}`, next)
    : well(title, `${there}; all of it is known`);
}

/** The client's own memory and ours do not fight: we never write there. What stands there is paid for in every session. */
export function ownMemory({ configDir, autoMemory }: ClientSettings, cwd: string): readonly Check[] {
  const files = [join(configDir, 'CLAUDE.md'), join(cwd, 'CLAUDE.md'), join(cwd, 'CLAUDE.local.md')].filter(
    isFile,
  );
  const learnt = join(configDir, 'projects', folderName(cwd), 'memory', 'MEMORY.md');
  const told = [
    ...files.map(
      (path) =>
        `${path === files[0] && path.startsWith(configDir) ? 'your' : 'the project’s'} CLAUDE.md ~${tokensOf(path)} tokens`,
    ),
    ...(autoMemory
      ? [isFile(learnt) ? `auto memory on, ~${tokensOf(learnt)} tokens` : 'auto memory on, empty here']
      : ['auto memory off']),
  ];
  const long = files.find((path) => tokensOf(path) > LONG_TOKENS);
  const littered = files.find((path) => /<claude-mem-context>/.test(textOf(path) ?? ''));
  const base = `${told.join(', ')}; Tidemark never writes there`;
  if (littered)
    return [
      note(
        "client's own memory",
        `${base}; ${littered} holds text written by claude-mem`,
        'Take its <claude-mem-context> block out by hand if you do not use it any more.',
      ),
    ];
  if (long)
    return [
      note(
        "client's own memory",
        base,
        `${long} is loaded whole into every session; keep rules there, leave history to Tidemark.`,
      ),
    ];
  if (autoMemory && isFile(learnt))
    return [
      note(
        "client's own memory",
        `${base}; both note what they learn, so a fact may be told twice`,
        'To leave it to Tidemark alone: "autoMemoryEnabled": false in the client’s settings.',
      ),
    ];
  return [well("client's own memory", base)];
}

/** How the client names a project's folder. */
function folderName(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, '-');
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function tokensOf(path: string): number {
  return Math.round((textOf(path)?.length ?? 0) / CHARS_PER_TOKEN);
}
