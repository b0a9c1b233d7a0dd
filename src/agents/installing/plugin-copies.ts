/** Finds the copies of our plugin in the cache of a client that copies plugins. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** `<folder>/plugins/cache/<marketplace>/tidemark/<version>`, of every marketplace and version. */
export function copiesInCache(folder: string): readonly string[] {
  const cache = join(folder, 'plugins', 'cache');
  return namesIn(cache)
    .map((marketplace) => join(cache, marketplace, 'tidemark'))
    .flatMap((plugin) => namesIn(plugin).map((version) => join(plugin, version)));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
