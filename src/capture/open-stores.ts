/** Opens the stores with the page writer and the session texts of this program. */
import type { Places } from '../core/index.ts';
import { sessionTitle, summarizeTurns } from '../distill/index.ts';
import type { ReportProblem } from '../files/index.ts';
import { openStoresWith, type OpenedStores } from '../memory/index.ts';
import { ProjectPages } from '../recall/index.ts';

export function openStores(places: Places, onLedgerProblem?: ReportProblem): Promise<OpenedStores> {
  const parts = {
    pages: (stores: ConstructorParameters<typeof ProjectPages>[0]) => new ProjectPages(stores),
    sessionText: {
      title: (turns: Parameters<typeof sessionTitle>[0]) => sessionTitle(turns),
      summary: (turns: Parameters<typeof summarizeTurns>[0]) => summarizeTurns(turns),
    },
  };
  return openStoresWith(parts, places, onLedgerProblem);
}
