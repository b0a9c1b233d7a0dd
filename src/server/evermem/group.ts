/** A group of EverMem → the keys of the project it stands for. Pure. */

const PREFIX = 'evermem:';
/** The client joined name and hash first without, then with an underscore; the journal's own key has it. */
const JOINED = /^([a-z0-9]{1,4})([0-9a-f]{5})$/;
const DERIVED = /^[a-z0-9]{1,4}_?[0-9a-f]{5}$/;

export interface GroupKeys {
  /** The key that Tidemark's own clients give to the project in the same folder. */
  readonly common: string;
  /** For who has no part in that project: the same path on two machines is not the same project. */
  readonly own: string;
}

/** Made from a folder's path by the client, and not chosen by anybody. */
export function isDerived(group: string): boolean {
  return DERIVED.test(group);
}

/** `keysOf('ever1a3f2', member)` → `evermem:ever_1a3f2`, `evermem:ever_1a3f2/<member>`. */
export function keysOf(group: string, member: string): GroupKeys {
  const common = `${PREFIX}${group.replace(JOINED, '$1_$2').replaceAll('/', '%2F')}`;
  return { common, own: `${common}/${member}` };
}

/** The group a project stands for, if it has one. */
export function groupOf(keys: readonly string[]): string | undefined {
  const key = keys.find((one) => one.startsWith(PREFIX));
  return key?.slice(PREFIX.length).split('/', 1)[0]?.replaceAll('%2F', '/');
}

/** Who sends no group speaks for themselves: EverMem keeps such messages by sender. */
export function groupOfSender(sender: string): string {
  return `user:${sender}`;
}
