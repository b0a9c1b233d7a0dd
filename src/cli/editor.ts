/** The user's editor, on a file of ours. */
import { spawnSync } from 'node:child_process';
import { TidemarkError } from '../core/index.ts';

/** Throws with `without` as the hint when no editor is set. */
export function editorOf(env: NodeJS.ProcessEnv, without: string): string {
  const editor = env['VISUAL'] || env['EDITOR'] || (process.platform === 'win32' ? 'notepad' : '');
  if (!editor) throw new TidemarkError('usage', 'no editor is set', { hint: without });
  return editor;
}

/** Returns when the editor has left; throws when it did not leave well. */
export function openEditor(editor: string, file: string): void {
  // An editor's command may hold arguments (`code --wait`), so a shell reads it; the file's name is ours.
  const { status } = spawnSync(`${editor} "${file}"`, { shell: true, stdio: 'inherit' });
  if (status === 0) return;
  throw new TidemarkError('editor-failed', `the editor left with ${status}; nothing was changed`);
}
