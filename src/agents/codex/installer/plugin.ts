/** Removes our plugin that a user installed from a marketplace: its hooks would run beside ours. */
import { execFile } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { given, TidemarkError } from '../../../core/index.ts';
import { readTextSync, STATE_BYTES, writeAtomicallySync } from '../../../files/index.ts';
import { removeIfEmpty } from '../../installing/edited-file.ts';
import { findProgram } from '../../installing/find-program.ts';
import { codexHome } from '../config-folder.ts';
import { withoutPluginTrust } from './config-file.ts';

/** It takes a second. */
const REMOVE_TIMEOUT_MS = 30_000;

/** `plugin`: `tidemark@<marketplace>`. Also removes what Codex leaves behind: trust in its hooks, and empty folders. */
export async function removePlugin(env: NodeJS.ProcessEnv, plugin: string): Promise<void> {
  const program = findProgram(env, 'codex');
  if (program === undefined) throw twice(plugin);
  await new Promise<void>((resolve, reject) => {
    execFile(program, ['plugin', 'remove', plugin], { env, timeout: REMOVE_TIMEOUT_MS }, (error) =>
      error ? reject(twice(plugin, error)) : resolve(),
    );
  });
  const config = realpathSync(join(codexHome(env), 'config.toml'));
  const text = readTextSync(config, STATE_BYTES);
  const clean = withoutPluginTrust(text);
  if (clean !== text) writeAtomicallySync(config, clean, { mode: statSync(config).mode & 0o777 });
  const [name = '', market = ''] = plugin.split('@');
  for (const folder of [join(market, name), market])
    removeIfEmpty(join(codexHome(env), 'plugins', 'cache', folder));
}

function twice(plugin: string, cause?: unknown): TidemarkError {
  return new TidemarkError(
    'double-install',
    `Codex has Tidemark as the plugin ${plugin}, so everything would happen twice`,
    { ...given({ cause }), hint: `Run: codex plugin remove ${plugin}` },
  );
}
