/** The peers whose memory can be imported, and those with data on this machine. Only reads. */
import { join } from 'node:path';
import { readTextSync } from '../../files/index.ts';
import { claudeCodeMemory } from './claude-code-memory.ts';
import { claudeMem } from './claude-mem.ts';
import { evermem } from './evermem.ts';
import { memoryKeeper } from './memory-keeper.ts';
import { memsearch } from './memsearch.ts';
import type { PeerFound, PeerName, PeerReader } from './peer.ts';

/** The client's state of all projects; some megabytes after a year. */
const CLIENT_STATE_BYTES = 64 * 1024 * 1024;
const READERS: readonly PeerReader[] = [claudeMem, memsearch, memoryKeeper, evermem, claudeCodeMemory];

export function peerReader(name: PeerName): PeerReader | undefined {
  return READERS.find((reader) => reader.name === name);
}

/** Finds data of other memory tools, with counts. `folders` are searched in addition to those the client knows. */
export function detectPeers(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  folders: readonly string[] = [],
): readonly PeerFound[] {
  const configDir = env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude');
  const everywhere = [...new Set([...folders, ...clientFolders(configDir, home)])];
  const surroundings = { env, home, configDir, folders: everywhere };
  return READERS.flatMap((reader) => reader.find(surroundings));
}

/** The folders the client was ever started in. Reads nothing else of its state file, which contains secrets. */
export function clientFolders(configDir: string, home: string): readonly string[] {
  for (const path of [join(configDir, '.claude.json'), join(home, '.claude.json')]) {
    try {
      const { projects } = JSON.parse(readTextSync(path, CLIENT_STATE_BYTES)) as { projects?: unknown };
      if (typeof projects === 'object' && projects !== null) return Object.keys(projects);
    } catch {
      // missing or damaged: try the next one
    }
  }
  return [];
}
