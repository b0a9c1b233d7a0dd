/** The state of our plugin in Claude Code: installed, turned off, damaged, or without hooks. Reads only. */
import { VERSION } from '../../../core/index.ts';
import type { Finding, InstallStatus, InstallWorld } from '../../agent.ts';
import { installedPlugins } from './client.ts';
import { clientSettings, type ClientSettings } from './client-settings.ts';
import { faultsOf, wantedAsItIs } from './faults.ts';
import { marketplaceOf } from './plugin.ts';
import { PLUGIN } from './settings.ts';

export async function statusOf({ env, plugin, cwd }: InstallWorld): Promise<InstallStatus> {
  const settings = clientSettings(env, cwd);
  const [copy] = installedPlugins(settings.configDir);
  const [id] = [...settings.plugins.keys()].filter((key) => key.startsWith('tidemark@'));
  if (id === undefined && !copy)
    return { state: 'absent', evidence: 'not installed for this user or project', findings: [] };
  const own = { root: marketplaceOf(plugin), version: VERSION };
  const wanted = wantedAsItIs(settings.configDir, own);
  const from = wanted.root === own.root ? '' : `, from ${wanted.root ?? ''}`;
  const findings = findingsOf(id ?? PLUGIN, settings, () => faultsOf(settings.configDir, wanted));
  return {
    state: findings.length > 0 ? 'faulty' : 'installed',
    evidence:
      findings.length > 0
        ? `${id ?? PLUGIN} ${copy?.version ?? ''}`.trim()
        : `${id} ${copy?.version} is installed and on${from}`,
    findings,
  };
}

function findingsOf(
  id: string,
  { plugins, hooksOff, configDir }: ClientSettings,
  faults: () => ReturnType<typeof faultsOf>,
): readonly Finding[] {
  if (plugins.get(id) === false || !plugins.has(id))
    return [{ text: 'the plugin is turned off', next: `claude plugin enable ${id}`, isRepairable: true }];
  if (hooksOff !== undefined)
    return [
      {
        text: `${id} is on, but ${hooksOff} turns every hook off`,
        next: 'Remove "disableAllHooks" from that file.',
      },
    ];
  if (installedPlugins(configDir).length === 0)
    return [
      { text: `${id} is on, but the client has no copy of it`, next: 'tidemark repair', isRepairable: true },
    ];
  return faults()
    .filter(({ code }) => code !== 'switched-off' && code !== 'not-installed') // a project's own settings may ask for it
    .map(({ text }) => ({ text, next: 'tidemark repair', isRepairable: true }));
}
