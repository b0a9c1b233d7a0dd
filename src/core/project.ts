/** A project: the place of memories. It is the same across worktrees, clones, renames and moves. */

/** Follows the user everywhere; never shared. */
export const PERSONAL_PROJECT = 'personal';

export interface Project {
  /** Folder name in the journal: readable name, dash, short hash of its first key. */
  readonly id: string;
  readonly name: string;
  /**
   * Identifies the project, strongest first: `remote:host/owner/repo`, `root:<first commit>`,
   * `git:<common directory>`, `path:<folder>`, `inode:<dev>-<ino>-<birth>`, `evermem:<name4>_<hash5>`,
   * `peer:<tool>/<name>` if another tool knew only a name.
   */
  readonly keys: readonly string[];
  /** Folders it was seen in, newest first. */
  readonly paths: readonly string[];
}
