/** Opens a file in the user's editor. */
import { spawnSync } from 'node:child_process';
import { TidemarkError } from '../core/index.ts';
import { usageError } from './verb.ts';

/** Returns the editor's command. Throws with `without` as the hint when no editor is set. */
export function editorOf(env: NodeJS.ProcessEnv, without: string): string {
  const editor = env['VISUAL'] || env['EDITOR'] || (process.platform === 'win32' ? 'notepad' : '');
  if (!editor) throw usageError('no editor is set', without);
  return editor;
}

/** Returns when the editor exits; throws when it exits with an error. */
export function openEditor(editor: string, file: string): void {
  // The command may have arguments (`code --wait`), so a shell runs it; we choose the file's name.
  const { status } = spawnSync(`${editor} "${file}"`, { shell: true, stdio: 'inherit' });
  if (status === 0) return;
  throw new TidemarkError('editor-failed', `the editor exited with ${status}; nothing was changed`);
}
