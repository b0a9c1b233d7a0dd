/** Checks the model that ships with Tidemark and the vectors. */
import { join } from 'node:path';
import { loadConfig } from '../../config/index.ts';
import type { EmbedHealth } from '../../daemon/index.ts';
import { DIST } from '../program.ts';
import { counted, size, tilde } from '../screen.ts';
import type { Context } from '../verb.ts';
import { checkOf, type Check } from './check.ts';

/** Checks every file of the model that ships with Tidemark. */
export async function builtInModel({ places, env }: Context): Promise<Check> {
  // Loaded late: most CLI calls do not need the models.
  const { checkSmallModel, REINSTALL, smallModelFolder } = await import('../../models/index.ts');
  const check = checkOf('built-in model');
  const folder = smallModelFolder(join(DIST, 'embedder.cjs'));
  const found = checkSmallModel(folder, { hashes: true });
  if (found.kind !== 'complete')
    return check.wrong(
      `${found.why} in ${tilde(folder)}: without it, search uses words only and only rules make memories`,
      REINSTALL,
    );
  const isOff = loadConfig({ places, env }).values['embed.driver'] === 'none';
  const facts = `${found.version}, ${size(found.bytes)}, hash verified, ${tilde(folder)}`;
  return check.well(isOff ? `${facts}; not used (embed.driver is none)` : facts);
}

export function embedder({ embedder: chosen, why, next, counts, working, trouble }: EmbedHealth): Check {
  const check = checkOf('embedder');
  const have = counts.memory.have + counts.turn.have;
  const wanted = counts.memory.wanted + counts.turn.wanted;
  if (chosen === null) return check.note(`none, memories are found by words only: ${why}`, next ?? undefined);
  const progress =
    wanted > 0 ? `${have} of ${have + wanted} vectors${working ? ', working' : ''}` : counted(have, 'vector');
  if (trouble !== undefined)
    return check.wrong(
      `${chosen}, ${progress}: ${trouble}`,
      'Search by words still works, and it is tried again in a few minutes. Without that server: tidemark config set embed.driver local',
    );
  return check.well(`${chosen}, ${progress}`);
}
