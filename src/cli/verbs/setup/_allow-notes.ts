/** Offers rules that let the agent write notes with Tidemark's tools without a dialog. Uninstall removes them. */
import { claudeConfigDir, NOTE_RULES, SettingsFile } from '../../../agents/index.ts';
import { loadConfig } from '../../../config/index.ts';
import { tilde } from '../../screen.ts';
import type { Context } from '../../verb.ts';
import type { Guide } from './_guide.ts';
import { mayAsk, type Offered } from './_offers.ts';

/** Asks only where notes are made by tool. `--allow-notes` and `--no-allow-notes` decide without a question. */
export async function offerNoteRules(
  context: Context,
  guide: Guide,
): Promise<Offered<{ readonly rules: readonly string[] }>> {
  const { places, env, options } = context;
  const settings = new SettingsFile(places, claudeConfigDir(env));
  if (options['no-allow-notes']) {
    settings.allowNotes(false);
    guide.done('Notes', `the agent asks before it uses remember or resolve (${tilde(settings.path)})`);
    return { already: 'removed' };
  }
  if (settings.allowsNotes) return { already: 'allowed' };
  const isByTool = loadConfig({ places, env }).values['capture.agentNotes'] === 'tool';
  const wanted = options['allow-notes'] || (isByTool && mayAsk(context) && (await ask(guide, settings.path)));
  if (!wanted) {
    const what = 'Notes of the agent through MCP tools, without a dialog';
    return isByTool
      ? { leftOut: { what, how: 'tidemark install --allow-notes' } }
      : { already: 'not needed' };
  }
  if (!settings.allowNotes(true)) {
    guide.failed('Notes', `${tilde(settings.path)} is not valid JSON; nothing was added`);
    return { leftOut: { what: 'Rules for notes', how: 'tidemark install --allow-notes' } };
  }
  guide.done('Notes', `remember and resolve allowed in ${tilde(settings.path)}; uninstall removes the rules`);
  return { done: { rules: NOTE_RULES } };
}

function ask(guide: Guide, path: string): Promise<boolean> {
  return guide.ask(
    "Let the agent write notes with Tidemark's tools, without a dialog each time?",
    [
      `Adds two allow rules to ${tilde(path)}: ${NOTE_RULES.join(', ')}.`,
      'They only add memories and mark them as over. Uninstall removes the rules.',
    ],
    false,
  );
}
