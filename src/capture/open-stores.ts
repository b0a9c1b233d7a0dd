/** Opens the stores with the session texts of distill. */
import type { Places } from '../core/index.ts';
import { sessionTitle, summarizeTurns } from '../distill/index.ts';
import type { ReportProblem } from '../files/index.ts';
import { openStoresWith, type OpenedStores } from '../memory/index.ts';

export function openStores(places: Places, onLedgerProblem?: ReportProblem): Promise<OpenedStores> {
  const sessionText = { title: sessionTitle, summary: summarizeTurns };
  return openStoresWith({ sessionText }, places, onLedgerProblem);
}
