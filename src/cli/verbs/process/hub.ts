/** Prints a one-time link to the hub of this machine or of the team. */
import { openInBrowser } from '../../browser.ts';
import { flag, type Verb } from '../../verb.ts';

export const hub: Verb = {
  name: 'hub',
  usage: 'hub [--team] [--open]',
  summary: 'Print a link to the hub, the web page of your memories; it works once.',
  options: {
    team: flag("The hub of the team's server instead of this machine's."),
    open: flag('Also open it in the browser.'),
  },
  async run({ options, client, screen }) {
    const { url } = await client.call(options['team'] ? 'team.hub' : 'hub.link', {});
    if (options['open']) openInBrowser(url);
    if (options['json']) return screen.json({ url });
    screen.print(url);
  },
};
