/** Setting up a team server and looking after it: first start, teams, health, and how to back it up. */
import { TidemarkError } from '../../../core/index.ts';
import type { Initialised, NewTeam } from '../../../server/index.ts';
import { EXIT, JSON_OPTION, type Verb } from '../../verb.ts';
import { printChecks, summaryOf } from '../setup/doctor.ts';
import { DATABASE, databaseOf, examine, operate } from './_server-program.ts';

/** As PostgreSQL's packages name theirs. */
const SUPERUSER = 'postgres';
const OWNER = { owner: { type: 'string', value: 'name', doc: 'Who owns the team (you).' } } as const;

export const serverInit: Verb = {
  name: 'server init',
  usage: 'server init [--team <name>] [--owner <name>]',
  summary: 'Make the schema, the first team, its owner and a key; changes nothing where they are there.',
  options: {
    ...DATABASE,
    team: { type: 'string', value: 'name', doc: 'Name of the first team ("team").' },
    ...OWNER,
    ...JSON_OPTION,
  },
  examples: [
    'DATABASE_URL=postgres://tidemark@localhost/tidemark tidemark server init --team Harbour --owner Ada',
  ],
  async run(context) {
    const { options, screen, env } = context;
    const wanted = {
      team: nameOr(options['team'], 'team'),
      owner: nameOr(options['owner'], env['USER'] || 'owner'),
    };
    screen.progress('Bringing the schema up to date…');
    const done = await operate(context, (operator) => operator.init(wanted), { asItIs: false });
    screen.done();
    if (options['json']) return screen.json(done);
    screen.print(`${schemaLine(done.schema)} ${MODES[done.vectors]}`);
    if (!done.made) {
      screen.print(`There already: ${done.teams.join(', ')}. Nothing was made.`);
      screen.say('Keys and members: tidemark server key, tidemark server member');
      if (options['team'] !== undefined && !done.teams.includes(wanted.team))
        screen.say(`A further team: tidemark server team create ${quoted(wanted.team)} --owner <name>`);
      return;
    }
    for (const line of newTeamLines(done.made)) screen.print(line);
    screen.say('Start it with: tidemark server; then on each machine: tidemark login <its address>');
  },
};

export const serverTeam: Verb = {
  name: 'server team',
  usage: 'server team [list | create <name> --owner <name>]',
  summary: 'Teams of this database: list them, or make one with its owner and a key.',
  options: { ...DATABASE, ...OWNER, ...JSON_OPTION },
  async run(context) {
    const { args, options, screen } = context;
    const [what = 'list', name] = args;
    if (what === 'list') {
      const teams = await operate(context, (operator) => operator.teams());
      if (options['json']) return screen.json(teams);
      for (const team of teams) screen.print(`${team.id}  ${team.name}`);
      return;
    }
    const { owner } = options;
    if (what !== 'create' || !name || typeof owner !== 'string') {
      throw new TidemarkError('usage', 'a new team needs a name and an owner', {
        hint: 'tidemark server team create <name> --owner <name>',
      });
    }
    const made = await operate(context, (operator) => operator.createTeam({ team: name, owner }));
    if (options['json']) return screen.json(made);
    for (const line of newTeamLines(made)) screen.print(line);
  },
};

export const serverDoctor: Verb = {
  name: 'server doctor',
  usage: 'server doctor',
  summary:
    'Look at the database of the team server, and change nothing: schema, row security, vectors, room.',
  options: { ...DATABASE, ...JSON_OPTION },
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
  summary: 'Print the commands that back up this database and bring it back; pg_dump does the work.',
  options: {
    ...DATABASE,
    superuser: {
      type: 'string',
      value: 'name',
      doc: `Who runs them: row-level security hides the rows from all others (${SUPERUSER}).`,
    },
    ...JSON_OPTION,
  },
  async run(context) {
    const { options, screen } = context;
    const commands = commandsFor(databaseOf(context), nameOr(options['superuser'], SUPERUSER));
    if (options['json']) return screen.json(commands);
    screen.print(`Back up, while the server runs:\n  ${commands.backup}`);
    screen.print(`See that it can be read:\n  ${commands.verify}`);
    screen.print(
      `Bring it back, into an empty database of the same owner, the server stopped:\n  ${commands.restore.join('\n  ')}`,
    );
    screen.say('The password is asked for, or comes from ~/.pgpass. More: docs/server.md');
  },
};

const MODES: Readonly<Record<Initialised['vectors'], string>> = {
  pgvector:
    'Finds by words and, with a model on the server (tidemark model install), by meaning through pgvector’s index.',
  rescoring:
    'Finds by words; with a model on the server (tidemark model install) meaning sorts what words found. What shares no word with a question is not found: for that this PostgreSQL needs pgvector 0.8 or newer. Install it and restart to change that.',
  none: 'Finds by words.',
};

function schemaLine({ from, to }: Initialised['schema']): string {
  if (from === to) return 'Schema is current.';
  return from === 0 ? 'Schema made.' : `Schema brought from ${from} to ${to}.`;
}

function newTeamLines({ team, owner, key }: NewTeam): readonly string[] {
  return [
    `Team:  ${team.name} (${team.id})`,
    `Owner: ${owner.name} (${owner.id})`,
    `Key:   ${key.secret}`,
    'The key is shown this once and stored nowhere. Keep it like a password.',
  ];
}

/** Without the password: what is printed ends up in scripts. */
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
    verify: 'pg_restore --list tidemark.dump > /dev/null && echo whole',
    restore: [
      // Roles belong to the machine, not to the database: the dump does not hold them. Where they are there it says so.
      `psql ${at} -c 'CREATE ROLE tidemark_app NOLOGIN NOBYPASSRLS' -c 'CREATE ROLE tidemark_lookup NOLOGIN NOBYPASSRLS' -c ${quoted(`GRANT tidemark_app TO "${owner.replaceAll('"', '""')}"`)}`,
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
    throw new TidemarkError('usage', 'this is not the address of a PostgreSQL database', {
      hint: 'It looks like this: postgres://user:password@host:5432/tidemark',
    });
  }
}

function nameOr(given: string | boolean | undefined, otherwise: string): string {
  return typeof given === 'string' && given.trim() !== '' ? given.trim() : otherwise;
}
