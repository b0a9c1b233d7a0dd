/** Sets up and maintains a team server: schema, teams, health and backup commands. */
import { plainLine } from '../../../core/index.ts';
import type { Initialised } from '../../../server/index.ts';
import { EXIT, usageError, value, type Verb } from '../../verb.ts';
import { printChecks, summaryOf } from '../setup/doctor.ts';
import { DATABASE, directAddressOf, examine, operate } from './_server-program.ts';
import { firstTeam, newTeamLines, orDefault } from './_server-trial.ts';

/** The default of PostgreSQL's packages. */
const SUPERUSER = 'postgres';

export const serverInit: Verb = {
  name: 'server init',
  usage: 'server init [--team <name>] [--owner <name>]',
  summary: 'Create the schema, the first team, its owner and a key; changes nothing that exists.',
  options: {
    ...DATABASE,
    team: value('name', 'Name of the first team (default: "team").'),
    owner: value('name', 'Owner of the team (default: your user name).'),
  },
  examples: [
    'DATABASE_URL=postgres://tidemark@localhost/tidemark tidemark server init --team Harbour --owner Ada',
  ],
  async run(context) {
    const { options, screen } = context;
    const wanted = firstTeam(context);
    screen.progress('Updating the schema…');
    const done = await operate(context, (operator) => operator.init(wanted), { asItIs: false });
    screen.done();
    if (options['json']) return screen.json(done);
    screen.print(`${schemaLine(done.schema)} ${MODES[done.vectors]}`);
    if (!done.made) {
      screen.print(`Teams exist already: ${plainLine(done.teams.join(', '))}. Nothing was created.`);
      screen.say('Keys and members: tidemark server key, tidemark server member');
      if (options['team'] !== undefined && !done.teams.includes(wanted.team))
        screen.say(`Create another team: tidemark server team create ${quoted(wanted.team)} --owner <name>`);
      return;
    }
    for (const line of newTeamLines(done.made)) screen.print(line);
    screen.say('Start it with: tidemark server. Then on each machine: tidemark login <its address>');
  },
};

export const serverTeam: Verb = {
  name: 'server team',
  usage: 'server team [list | create <name> --owner <name>]',
  summary: 'List the teams of this database, or create one with its owner and a key.',
  options: { ...DATABASE, owner: value('name', 'Owner of the new team.') },
  async run(context) {
    const { args, options, screen } = context;
    const [what = 'list', name] = args;
    if (what === 'list') {
      const teams = await operate(context, (operator) => operator.teams());
      if (options['json']) return screen.json(teams);
      for (const team of teams) screen.print(`${team.id}  ${plainLine(team.name)}`);
      return;
    }
    const { owner } = options;
    if (what !== 'create' || !name || typeof owner !== 'string') {
      throw usageError(
        'a new team needs a name and an owner',
        'tidemark server team create <name> --owner <name>',
      );
    }
    const made = await operate(context, (operator) => operator.createTeam({ team: name, owner }));
    if (options['json']) return screen.json(made);
    for (const line of newTeamLines(made)) screen.print(line);
  },
};

export const serverDoctor: Verb = {
  name: 'server doctor',
  usage: 'server doctor',
  summary: 'Check the database of the team server without changes: schema, row security, vectors, space.',
  options: { ...DATABASE },
  async run(context) {
    const { options, screen } = context;
    const checks = await examine(context);
    const code = checks.some(({ verdict }) => verdict === 'wrong') ? EXIT.failed : EXIT.ok;
    if (options['json']) screen.json({ checks });
    else {
      printChecks(context, [{ title: 'Team server', checks }]);
      screen.print(`\n${summaryOf(context, checks, true)}`);
    }
    return code;
  },
};

export const serverBackup: Verb = {
  name: 'server backup',
  usage: 'server backup [--superuser <name>]',
  summary: 'Print the pg_dump commands that back up and restore this database.',
  options: {
    ...DATABASE,
    superuser: value(
      'name',
      `The role that runs them; row-level security hides rows from others (default: ${SUPERUSER}).`,
    ),
  },
  async run(context) {
    const { options, screen } = context;
    if (options['dev'])
      throw usageError(
        'a trial has no dump of its own',
        'Stop its server, then copy its folder. The memories are also on the machines that shared them.',
      );
    const commands = commandsFor(directAddressOf(context), orDefault(options['superuser'], SUPERUSER));
    if (options['json']) return screen.json(commands);
    screen.print(`Back up, while the server runs:\n  ${commands.backup}`);
    screen.print(`Check that it is readable:\n  ${commands.verify}`);
    screen.print(
      `Restore it into an empty database of the same owner, with the server stopped:\n  ${commands.restore.join('\n  ')}`,
    );
    screen.say('PostgreSQL asks for the password or reads ~/.pgpass. More: docs/server.md');
  },
};

const MODES: Readonly<Record<Initialised['vectors'], string>> = {
  pgvector: 'Searches by words and by meaning, with pgvector’s index.',
  rescoring:
    'Searches by words; meaning orders those results. Finding entries that share no word with the query requires pgvector 0.8 or newer: install it in PostgreSQL and restart.',
  none: 'Searches by words.',
};

function schemaLine({ from, to }: Initialised['schema']): string {
  if (from === to) return 'The schema is up to date.';
  return from === 0 ? 'Schema created.' : `Schema updated from ${from} to ${to}.`;
}

/** Omits the password, because printed commands end up in scripts. */
function commandsFor(
  database: string,
  superuser: string,
): {
  readonly backup: string;
  readonly verify: string;
  readonly restore: readonly string[];
} {
  const url = urlOf(database);
  const owner = decodeURIComponent(url.username);
  url.password = '';
  url.username = encodeURIComponent(superuser);
  const at = quoted(url.href);
  return {
    backup: `pg_dump --format=custom --schema=tidemark --file=tidemark.dump ${at}`,
    verify: 'pg_restore --list tidemark.dump > /dev/null && echo ok',
    restore: [
      // Roles belong to the PostgreSQL server, so the dump names those of the original without creating them. An error for
      // an existing role is harmless. The server replaces them with roles of this database when it starts.
      `pg_restore --file=- tidemark.dump | grep -oE 'tidemark_(app|lookup)(_[0-9]+)?' | sort -u | while read -r role; do psql ${at} -c "CREATE ROLE $role NOLOGIN NOBYPASSRLS" -c "GRANT $role TO "${quoted(`"${owner.replaceAll('"', '""')}"`)}; done`,
      // A dump of one schema names the types of pgvector without creating the extension, which is in a schema of its own.
      `pg_restore --file=- tidemark.dump | grep -oE '[A-Za-z_][A-Za-z0-9_]*\\.(halfvec|vector)\\(' | cut -d. -f1 | sort -u | while read -r schema; do psql ${at} -c "CREATE SCHEMA IF NOT EXISTS $schema" -c "CREATE EXTENSION IF NOT EXISTS vector SCHEMA $schema"; done`,
      `pg_restore --exit-on-error --single-transaction --dbname=${at} tidemark.dump`,
      'tidemark server doctor',
    ],
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function urlOf(database: string): URL {
  try {
    return new URL(database);
  } catch {
    throw usageError(
      'this is not a PostgreSQL address',
      'For example: postgres://user:password@host:5432/tidemark',
    );
  }
}
