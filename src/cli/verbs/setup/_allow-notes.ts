/** Offers rules that let the agent write notes with Tidemark's tools without a dialog. Uninstall removes them. */
import type { NoteRules } from '../../../agents/index.ts';
import { loadConfig } from '../../../config/index.ts';
import type { AgentInstalled } from '../../../install/index.ts';
import { tilde } from '../../screen.ts';
import type { Context } from '../../verb.ts';
import type { Guide } from './_guide.ts';
import { mayAsk, type LeftOut, type Offered } from './_offers.ts';

interface Rules {
  readonly rules: readonly string[];
}

/**
 * Asks for each agent that has such rules, and only where notes are made by tool. `--allow-notes` and `--no-allow-notes`
 * decide without a question.
 */
export async function offerNoteRules(
  context: Context,
  guide: Guide,
  agents: readonly AgentInstalled[],
): Promise<Offered<Rules>> {
  const all = agents.flatMap(({ state }) => state.agent.installer.notes ?? []);
  const results: Offered<Rules>[] = [];
  for (const notes of all) results.push(await offerOne(context, guide, notes));
  const left = results.find((one): one is { leftOut: LeftOut } => 'leftOut' in one);
  if (left) return left;
  const rules = results.flatMap((one) => ('done' in one ? one.done.rules : []));
  return rules.length > 0 ? { done: { rules } } : (results[0] ?? { already: 'not needed' });
}

async function offerOne(context: Context, guide: Guide, notes: NoteRules): Promise<Offered<Rules>> {
  const { places, env, options } = context;
  const file = tilde(notes.file(context));
  if (options['no-allow-notes']) {
    notes.set(context, false);
    guide.done('Notes', `the agent asks before it uses remember or resolve (${file})`);
    return { already: 'removed' };
  }
  if (notes.areSet(context)) return { already: 'allowed' };
  const isByTool = loadConfig({ places, env }).values['capture.agentNotes'] === 'tool';
  const wanted =
    options['allow-notes'] || (isByTool && mayAsk(context) && (await ask(guide, file, notes.rules)));
  if (!wanted) {
    const what = 'Notes of the agent through MCP tools, without a dialog';
    return isByTool
      ? { leftOut: { what, how: 'tidemark install --allow-notes' } }
      : { already: 'not needed' };
  }
  if (!notes.set(context, true)) {
    guide.failed('Notes', `${file} is not valid JSON; nothing was added`);
    return { leftOut: { what: 'Rules for notes', how: 'tidemark install --allow-notes' } };
  }
  guide.done('Notes', `remember and resolve allowed in ${file}; uninstall removes the rules`);
  return { done: { rules: notes.rules } };
}

function ask(guide: Guide, file: string, rules: readonly string[]): Promise<boolean> {
  return guide.ask(
    "Let the agent write notes with Tidemark's tools without asking you each time?",
    [
      `Adds two allow rules to ${file}: ${rules.join(', ')}.`,
      'These tools only add memories and mark them as resolved. Uninstall removes the rules.',
    ],
    false,
  );
}
