/** Repairs an installation: missing files, a plugin that is off, broken paths. Asks nothing, spends nothing, keeps all data. */
import { findClaudeCode } from '../../../agents/index.ts';
import { VERSION } from '../../../core/index.ts';
import { openClient } from '../../../daemon/index.ts';
import { tilde } from '../../screen.ts';
import type { Verb } from '../../verb.ts';
import { openGuide } from './_guide.ts';
import { putInPlace } from './_put-in-place.ts';

export const repair: Verb = {
  name: 'repair',
  usage: 'repair',
  summary: 'Repair the installation: plugin, program files, recorded Node, daemon.',
  async run(context) {
    const { options, screen, env, places } = context;
    const guide = openGuide(context, options['json'] === true);
    guide.heading(`Tidemark ${VERSION}`, 'repair');
    const claude = await findClaudeCode(env);
    guide.done('Claude Code', `${claude.version}, ${tilde(claude.path)}`);
    const placed = await putInPlace(context, guide, claude);
    const client = openClient(places, env, placed.dist);
    await client.start();
    const { pid, version } = await client.call('status', {});
    guide.done('Daemon', `${version} answers, pid ${pid}`);
    if (options['json']) return screen.json({ version: VERSION, claude, ...placed });
    const { mended: repaired, isNew } = placed;
    screen.print(
      isNew
        ? 'Installed the plugin, which was missing.'
        : repaired.length === 0
          ? 'Nothing was broken.'
          : `Repaired: ${repaired.map(({ text }) => text).join('; ')}.`,
    );
  },
};
