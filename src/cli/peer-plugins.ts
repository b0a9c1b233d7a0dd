/** Plugins of another memory tool in the coding agents, and how to turn them off. */
import { CODING_AGENTS, type ForeignPlugins } from '../agents/index.ts';
import type { PeerName } from '../exchange/import/index.ts';

/** Tools whose plugin reads and injects as Tidemark does. Their memories can be imported first. */
const MARKS: Partial<Readonly<Record<PeerName, RegExp>>> = { 'claude-mem': /\bclaude-mem\b/i };

export const REPLACEABLE = Object.keys(MARKS) as readonly PeerName[]; // the keys of a record of names

export interface PeerPlugin {
  readonly id: string;
  /** The agent's name for users. */
  readonly agent: string;
  readonly plugins: ForeignPlugins;
}

/** The plugins of a tool that are on, in any agent. */
export function pluginsOf(
  name: PeerName,
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): readonly PeerPlugin[] {
  const mark = MARKS[name];
  if (!mark) return [];
  return CODING_AGENTS.flatMap(({ title, installer }) => {
    const { plugins } = installer ?? {};
    if (!plugins) return [];
    const on = plugins.enabled(env, cwd).filter((id) => mark.test(id));
    return on.map((id) => ({ id, agent: title, plugins }));
  });
}

/** Turns plugins off, and says how to turn them on again. */
export async function turnOff(
  found: readonly PeerPlugin[],
  env: NodeJS.ProcessEnv,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { id, agent, plugins } of found) {
    await plugins.disable(env, id);
    lines.push(
      `${id} is off in ${agent}; its data stays. To turn it on again: ${plugins.command('enable', id)}`,
    );
  }
  return lines;
}
