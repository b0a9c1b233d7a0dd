/** Opens the hub, this machine's or the team's: prints a link that lets one browser in, once. */
import { spawn } from 'node:child_process';
import { JSON_OPTION, type Verb } from '../../verb.ts';

export const hub: Verb = {
  name: 'hub',
  usage: 'hub [--team] [--open]',
  summary: 'Get a link to the hub; it works once.',
  options: {
    team: { type: 'boolean', doc: "The hub of the team's server, not that of this machine." },
    open: { type: 'boolean', doc: 'Open it in the browser too.' },
    ...JSON_OPTION,
  },
  async run({ options, client, screen }) {
    const { url } = await client.call<{ url: string }>(options['team'] ? 'team.hub' : 'hub.link');
    if (options['open']) openInBrowser(url);
    if (options['json']) return screen.json({ url });
    screen.print(url);
  },
};

/** The platform's own opener; where there is none the printed link has to do. */
function openInBrowser(url: string): void {
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  spawn(opener, [url], { detached: true, stdio: 'ignore' })
    .on('error', () => {})
    .unref();
}
