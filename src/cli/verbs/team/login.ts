/** Which team server this machine exchanges with, and as whom. Logging in shares nothing. */
import { TidemarkError } from '../../../core/index.ts';
import type { TeamView } from '../../../exchange/sync/team/index.ts';
import { JSON_OPTION, type Verb } from '../../verb.ts';
import { readKey } from './_key.ts';

interface Greeting {
  readonly server: string;
  readonly version: string;
}

interface LoggedIn {
  readonly server: string;
  readonly member: { readonly name: string; readonly role: string };
  readonly team: { readonly name: string };
  readonly key: { readonly scopes: readonly string[]; readonly expiresAt: string | null };
}

export const login: Verb = {
  name: 'login',
  usage: 'login <url> [--key-stdin]',
  summary: 'Log in to a team server; the key is asked for, or read from stdin. Shares nothing yet.',
  options: {
    'key-stdin': { type: 'boolean', doc: 'Read the key from stdin.' },
    ...JSON_OPTION,
  },
  examples: [
    'tidemark login https://memory.example.com',
    'tidemark login http://127.0.0.1:7430 --key-stdin < key',
  ],
  async run({ args, options, client, screen, places }) {
    const [server] = args;
    if (!server) throw new TidemarkError('usage', 'to which server?', { hint: 'tidemark login <url>' });
    // Before the key: nobody should look for theirs only to hear that the address was wrong.
    const there = await client.call<Greeting>('team.greet', { server });
    screen.say(`${there.server} is a Tidemark team server (${there.version}).`);
    const key = await readKey(Boolean(options['key-stdin']));
    const found = await client.call<LoggedIn>('team.login', { server, key });
    if (options['json']) return screen.json(found);
    const { member, team, key: facts } = found;
    screen.print(`Logged in to ${found.server} as ${member.name} (${member.role}) of ${team.name}.`);
    if (facts.expiresAt) screen.print(`The key is good until ${facts.expiresAt.slice(0, 10)}.`);
    const { projects } = await client.call<TeamView>('read.team');
    const next =
      projects.length > 0
        ? `Shared as before: ${projects.map((one) => one.name).join(', ')}.`
        : 'Nothing is shared yet: tidemark share <project>';
    screen.say(`The key is in ${places.team}, for you alone. ${next}`);
  },
};

export const logout: Verb = {
  name: 'logout',
  usage: 'logout',
  summary: 'Forget the key of the team server; what is shared stays there, what came from there stays here.',
  options: { ...JSON_OPTION },
  async run({ options, client, screen }) {
    const found = await client.call<{ server: string }>('team.logout');
    if (options['json']) return screen.json(found);
    screen.print(
      `Logged out of ${found.server}. What is shared there stays until: tidemark unshare <project>`,
    );
  },
};
