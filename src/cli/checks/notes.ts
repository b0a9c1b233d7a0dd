/** Reports notes of the agent that the client did not allow. */
import type { AgentState } from '../../install/index.ts';
import { age } from '../../recall/index.ts';
import { counted } from '../screen.ts';
import type { Context } from '../verb.ts';
import { checkOf, type Check } from './check.ts';

/** Only for agents that have rules for notes. */
export async function deniedNotes(
  { agent }: AgentState,
  context: Pick<Context, 'places' | 'env' | 'client'>,
): Promise<readonly Check[]> {
  const { notes } = agent.installer;
  if (!notes || notes.areSet(context)) return [];
  const { count, at, tools } = await context.client.call('read.denied', {});
  if (count === 0) return [];
  const evidence = `${agent.title} denied ${counted(count, 'call')} of ${tools.join(' and ')} in the last week, the last one ${age(at, new Date())}`;
  return [checkOf('agent notes').note(evidence, 'Allow them: tidemark install --allow-notes')];
}
