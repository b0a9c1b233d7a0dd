/** Says how to call `tidemark` from any folder where it is not on the PATH. Pure. */
import { basename, dirname } from 'node:path';

export interface Reach {
  /** The file of the user's shell that the line belongs in; undefined for a command that is run once. */
  readonly profile?: string;
  readonly line: string;
}

/**
 * `reachCommand('/home/a/tidemark/bin/tidemark', { SHELL: '/bin/zsh' }, 'linux')` → the line
 * `export PATH="/home/a/tidemark/bin:$PATH"` for `~/.zshrc`
 */
export function reachCommand(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): Reach {
  const folder = dirname(command);
  const shell = basename(env['SHELL'] ?? '');
  if (shell === 'fish') return { line: `fish_add_path '${folder.replace(/['\\]/g, '\\$&')}'` };
  const quoted = folder.replace(/["$`\\]/g, '\\$&');
  return { profile: profileOf(shell, platform), line: `export PATH="${quoted}:$PATH"` };
}

function profileOf(shell: string, platform: NodeJS.Platform): string {
  if (shell === 'zsh') return '~/.zshrc';
  // A terminal of macOS starts bash as a login shell, which does not read .bashrc.
  if (shell === 'bash') return platform === 'darwin' ? '~/.bash_profile' : '~/.bashrc';
  return '~/.profile';
}
