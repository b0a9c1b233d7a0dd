/** The peers whose memory can be brought along, and which of them have data on this machine. Only reads. */
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

/**
 * What other memory tools left on this machine, with counts. `folders` are looked into besides those the client knows;
 * nothing is ever written.
 */
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

/** The folders the client was ever started in. Of its state, which holds secrets, nothing else is looked at. */
export function clientFolders(configDir: string, home: string): readonly string[] {
  for (const path of [join(configDir, '.claude.json'), join(home, '.claude.json')]) {
    try {
      const { projects } = JSON.parse(readTextSync(path, CLIENT_STATE_BYTES)) as { projects?: unknown };
      if (typeof projects === 'object' && projects !== null) return Object.keys(projects);
    } catch {
      // not there, or not ours to judge
    }
  }
  return [];
}
