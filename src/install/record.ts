/** Records into which agents Tidemark was installed, and when. `repair` and `doctor` compare it with what is there. */
import { rmSync } from 'node:fs';
import { isAgent, type Agent, type Places } from '../core/index.ts';
import { makeFolderSync, readTextSync, STATE_BYTES, writeAtomicallySync } from '../files/index.ts';

export type InstallTimes = Readonly<Partial<Record<Agent, string>>>;

type Where = Pick<Places, 'home' | 'installs'>;

/** An unreadable file counts as empty. */
export function installTimes({ installs }: Pick<Places, 'installs'>): InstallTimes {
  try {
    const value: unknown = JSON.parse(readTextSync(installs, STATE_BYTES));
    return Object.fromEntries(
      Object.entries(value ?? {}).filter(([agent, at]) => isAgent(agent) && typeof at === 'string'),
    );
  } catch {
    return {};
  }
}

export function recordInstall(places: Where, agent: Agent, at: Date = new Date()): void {
  write(places, { ...installTimes(places), [agent]: at.toISOString() });
}

export function forgetInstall(places: Where, agent: Agent): void {
  const { [agent]: gone, ...others } = installTimes(places);
  if (gone !== undefined) write(places, others);
}

function write({ home, installs }: Where, times: InstallTimes): void {
  if (Object.keys(times).length === 0) return rmSync(installs, { force: true });
  makeFolderSync(home);
  writeAtomicallySync(installs, `${JSON.stringify(times)}\n`);
}
