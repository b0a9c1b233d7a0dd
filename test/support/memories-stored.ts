/** Waits for memories as the running daemon has them. */
import { callDaemon } from './call.ts';
import type { Stage } from './claude.ts';
import { waitFor } from './wait-for.ts';

const MOST_MEMORIES = 1000;

/** Waits until each of these is in the title, the text or the files of a memory. */
export async function memoriesStored(
  stage: Pick<Stage, 'places' | 'logs'>,
  ...expected: readonly RegExp[]
): Promise<void> {
  let text = '';
  const look = async (): Promise<boolean> => {
    const memories = await callDaemon(stage.places, 'read.memories', { limit: MOST_MEMORIES }).catch(
      () => [],
    );
    text = memories.map(({ title, body, files }) => [title, body, ...files].join('\n')).join('\n\n');
    return expected.every((one) => one.test(text));
  };
  await waitFor(`${expected.join(' and ')} in memory`, look, { explain: () => `${text}\n${stage.logs()}` });
}
