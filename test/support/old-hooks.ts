/** The plugin's hooks.json in the form of earlier versions: `sh` with `args`, unsafe in agents that ignore `args`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FORM = /"command": "sh \\"(\$\{CLAUDE_PLUGIN_ROOT\}\/hooks\/hook\.sh)\\" (\w+)"/g;

/** Today's file, byte for byte as it must be after a repair. */
export function currentHooks(): string {
  return readFileSync(join(import.meta.dirname, '..', '..', 'plugin', 'hooks', 'hooks.json'), 'utf8');
}

export function oldHooks(): string {
  return currentHooks().replaceAll(FORM, '"command": "sh", "args": ["$1", "$2"]');
}
