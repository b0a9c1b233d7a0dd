/** Logs this machine in to a team server and out of it. Logging in shares nothing. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { allOfStdin } from '../../stdin.ts';
import { flag, usageError, type Verb } from '../../verb.ts';

export const login: Verb = {
  name: 'login',
  usage: 'login <url> [--key-stdin]',
  summary: 'Log in to a team server; asks for the key or reads it from stdin. Shares nothing yet.',
  options: {
    'key-stdin': flag('Read the key from stdin.'),
  },
  examples: [
    'tidemark login https://memory.example.com',
    'tidemark login http://127.0.0.1:7430 --key-stdin < key',
  ],
  async run({ args, options, client, screen, places }) {
    const [server] = args;
    if (!server) throw usageError('no server given', 'tidemark login <url>');
    // Checks the address before asking for the key.
    const there = await client.call('team.greet', { server });
    const kind = there.isTrial ? 'a trial of a Tidemark team server' : 'a Tidemark team server';
    screen.say(`${there.server} is ${kind} (${there.version}).`);
    const key = await readKey(Boolean(options['key-stdin']));
    const found = await client.call('team.login', { server, key });
    if (options['json']) return screen.json(found);
    const { member, team, key: facts } = found;
    screen.print(`Logged in to ${found.server} as ${member.name} (${member.role}) of ${team.name}.`);
    if (facts.expiresAt) screen.print(`The key is valid until ${facts.expiresAt.slice(0, 10)}.`);
    const { projects } = await client.call('read.team', {});
    const next =
      projects.length > 0
        ? `Shared as before: ${projects.map((one) => one.name).join(', ')}.`
        : 'Nothing is shared yet: tidemark share <project>';
    screen.say(`The key is stored in ${places.team}, readable only by you. ${next}`);
  },
};

export const logout: Verb = {
  name: 'logout',
  usage: 'logout',
  summary: 'Delete the key of the team server; shared entries stay on both sides.',
  async run({ options, client, screen }) {
    const found = await client.call('team.logout', {});
    if (options['json']) return screen.json(found);
    screen.print(
      `Logged out of ${found.server}. Shared entries stay there until: tidemark unshare <project>`,
    );
  },
};

/** A longer input is not a key but a file given by mistake. */
const LONGEST_KEY = 4096;

/** Reads a key from the terminal without echo, or from stdin. Never from an argument, which other processes can see. */
async function readKey(fromStdin: boolean): Promise<string> {
  const key = (fromStdin ? ((await allOfStdin(LONGEST_KEY)) ?? '') : await typed()).trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw usageError(
    key === '' ? 'no key given' : 'this is not a key: a key is one word',
    'A key begins with tmk_ and is shown once, when it is created.',
  );
}

async function typed(): Promise<string> {
  if (!process.stdin.isTTY)
    throw usageError(
      'a key can only be typed at a terminal',
      'Pass it on stdin: tidemark login <url> --key-stdin < key-file',
    );
  process.stderr.write('Key (not shown): ');
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asking = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await asking.question('');
  } finally {
    asking.close();
    process.stderr.write('\n');
  }
}
