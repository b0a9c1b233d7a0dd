/** Reports notes of the agent that the client did not allow. */
import { claudeConfigDir, SettingsFile } from '../../agents/index.ts';
import { age } from '../../recall/index.ts';
import { counted } from '../screen.ts';
import type { Context } from '../verb.ts';
import { checkOf, type Check } from './check.ts';

export async function deniedNotes({ places, env, client: daemon }: Context): Promise<readonly Check[]> {
  if (new SettingsFile(places, claudeConfigDir(env)).allowsNotes) return [];
  const { count, at, tools } = await daemon.call('read.denied', {});
  if (count === 0) return [];
  const evidence = `Claude Code denied ${counted(count, 'call')} of ${tools.join(' and ')} in the last week, the last one ${age(at, new Date())}`;
  return [checkOf('agent notes').note(evidence, 'Allow them: tidemark install --allow-notes')];
}
