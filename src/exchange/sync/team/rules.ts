/** The rules for new entries of a shared project: how long they wait, and which people must not be named. */
import { peopleIn } from '../../../capture/index.ts';
import { listOf, loadConfig, teamValuesIn } from '../../../config/index.ts';
import type { Project } from '../../../core/index.ts';
import type { MemoryIndex } from '../../../database/index.ts';
import type { KnownPerson } from '../../../privacy/index.ts';
import type { Login, SharingRules } from '../index.ts';
import type { Settings } from './sharing.ts';

/** New authors are noticed this soon; reading them costs a process. */
const PEOPLE_EVERY_MS = 10 * 60_000;
const MINUTE_MS = 60_000;

/** Reads the setting each time, so that a change takes effect at once. */
export function delayOf({ places, env }: Settings): number {
  return loadConfig({ places, env }).values['share.delayMinutes'] * MINUTE_MS;
}

/** Returns the team's stricter rules for new entries. */
export function teamRules({ places }: Settings): Pick<SharingRules, 'neverKinds' | 'peopleStay'> {
  const team = teamValuesIn(places.teamSettings);
  return { neverKinds: listOf(team, 'share.neverKinds'), peopleStay: team['share.peopleStay'] === true };
}

/** The people of each project, read from git now and then. */
export class People {
  readonly #known = new Map<string, { readonly at: number; readonly people: readonly KnownPerson[] }>();

  async of(project: Pick<Project, 'id' | 'paths'>): Promise<readonly KnownPerson[]> {
    const known = this.#known.get(project.id);
    if (known && Date.now() - known.at < PEOPLE_EVERY_MS) return known.people;
    const found = await Promise.all(project.paths.map((path) => peopleIn(path)));
    const people = found.flat();
    this.#known.set(project.id, { at: Date.now(), people });
    return people;
  }
}

/** Members of the team that this machine knows: the user, and the authors of received entries. */
export function membersIn(index: MemoryIndex, login: Login | undefined): readonly KnownPerson[] {
  return [...(login ? [login.member.name] : []), ...index.teamAuthors()].map((name) => ({ name }));
}
