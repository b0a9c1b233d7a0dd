/** `config edit`: the settings file in the user's editor. What is broken is never put in place, and never lost either. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { checkSettings, placeOf, replaceConfig } from '../../../config/index.ts';
import { TidemarkError } from '../../../core/index.ts';
import { readTextSync, STATE_BYTES } from '../../../files/index.ts';
import { editorOf, openEditor } from '../../editor.ts';
import type { Context } from '../../verb.ts';

/** Whether something changed. A copy that was refused before is taken up again. */
export function editConfig({ places, env }: Context): boolean {
  const editor = editorOf(env, 'Set EDITOR, or open the file yourself: tidemark config path');
  const before = existsSync(places.config) ? readTextSync(places.config, STATE_BYTES) : '{}\n';
  const copy = `${places.config}.edit.json`;
  if (!existsSync(copy)) writeFileSync(copy, before, { mode: 0o600 });
  try {
    openEditor(editor, copy);
  } catch (error) {
    if (readFileSync(copy, 'utf8') === before) rmSync(copy);
    throw error;
  }
  const after = readFileSync(copy, 'utf8');
  const [problem] = checkSettings(after, copy);
  if (problem)
    throw new TidemarkError('config.refused', `${placeOf(problem)}: ${problem.reason}`, {
      hint: `${problem.hint} Your edit is kept there: tidemark config edit goes on with it. The settings are as before.`,
    });
  if (after !== before) replaceConfig(places, after);
  rmSync(copy);
  return after !== before;
}
