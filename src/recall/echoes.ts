/** Which memories a session was shown that a turn goes back to. Asks the index only; the caller writes them down. */
import type { StoredTurn } from '../core/index.ts';
import type { MemoryIndex, Use } from '../database/index.ts';
import { projectFiles } from '../distill/index.ts';
import { echoOf, tellingTokens } from './echo.ts';

/** A session is shown a few dozen at most; the newest are the ones a turn may go back to. */
const MOST_SHOWN = 60;

export function echoes(index: MemoryIndex, turn: StoredTurn): readonly Use[] {
  if (turn.answer === '' || turn.origin === 'task') return [];
  const shown = index.injectedIn(turn.session).filter(({ at }) => at <= turn.endedAt);
  const ids = [...new Set(shown.map(({ memory }) => memory))].slice(-MOST_SHOWN);
  const fresh = ids.filter((memory) => !index.isUsed({ memory, session: turn.session, how: 'echoed' }));
  if (fresh.length === 0) return [];
  const heard = heardOf(index, turn);
  return fresh.flatMap((id): readonly Use[] => {
    const memory = index.memory(id);
    if (!memory) return [];
    const frequency = index.memoryFrequencies(tellingTokens(memory));
    if (echoOf(memory, heard, frequency).length === 0) return [];
    return [{ memory: memory.id, session: turn.session, how: 'echoed', at: turn.endedAt }];
  });
}

function heardOf(index: MemoryIndex, turn: StoredTurn) {
  const earlier = index.turnsIn(turn.session).filter(({ id, at }) => id !== turn.id && at <= turn.startedAt);
  const { tools } = turn;
  return {
    said: [turn.answer, ...tools.flatMap(({ command = '', edited }) => [command, ...edited])].join('\n'),
    had: [
      turn.prompt,
      ...earlier.flatMap(({ prompt, answer }) => [prompt, answer]),
      ...tools.flatMap(({ output = '', errors }) => [output, ...errors]),
    ].join('\n'),
    read: projectFiles(
      tools.flatMap(({ read }) => read),
      turn,
      undefined,
    ),
  };
}
