/** A project: where memories belong. The same across worktrees, clones, renames and moves. */

/** Follows the user everywhere; never shared. */
export const PERSONAL_PROJECT = 'personal';

export interface Project {
  /** Folder name in the journal: readable name, dash, short hash of the first key it was known by. */
  readonly id: string;
  readonly name: string;
  /**
   * What it can be recognised by, strongest first: `remote:host/owner/repo`, `root:<first commit>`,
   * `git:<common directory>`, `path:<folder>`, `inode:<dev>-<ino>-<birth>`, `evermem:<name4>_<hash5>`,
   * `peer:<tool>/<name>` where another tool knew no more than a name.
   */
  readonly keys: readonly string[];
  /** Folders it was seen in, newest first. */
  readonly paths: readonly string[];
}
