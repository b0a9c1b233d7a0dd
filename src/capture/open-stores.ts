/** Opens the stores with the page writer of recall and the session texts of distill. */
import type { Places } from '../core/index.ts';
import { sessionTitle, summarizeTurns } from '../distill/index.ts';
import type { ReportProblem } from '../files/index.ts';
import { openStoresWith, type OpenedStores } from '../memory/index.ts';
import { ProjectPages } from '../recall/index.ts';

export function openStores(places: Places, onLedgerProblem?: ReportProblem): Promise<OpenedStores> {
  const pages = (stores: ConstructorParameters<typeof ProjectPages>[0]) => new ProjectPages(stores);
  const sessionText = { title: sessionTitle, summary: summarizeTurns };
  return openStoresWith({ pages, sessionText }, places, onLedgerProblem);
}
