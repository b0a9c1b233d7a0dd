/** Who may use a team server: members and their keys, straight on the database. */
import { given, TidemarkError } from '../../../core/index.ts';
import { ROLES, SCOPES } from '../../../exchange/sync/index.ts';
import { JSON_OPTION, type Context, type Verb } from '../../verb.ts';
import { DATABASE, operate, TEAM } from './_server-program.ts';

const DAY_MS = 24 * 60 * 60_000;

export const serverMember: Verb = {
  name: 'server member',
  usage: 'server member [list | add <name> | role <member> <role> | remove <member>]',
  summary: 'Members of a team: list, add, change the role (owner, member, reader), remove with all keys.',
  options: {
    ...DATABASE,
    ...TEAM,
    role: { type: 'string', value: 'role', doc: `For a new member: ${ROLES.join(', ')} (member).` },
    ...JSON_OPTION,
  },
  examples: ['tidemark server member add Ben --role reader', 'tidemark server member role Ben member'],
  async run(context) {
    const { args, options, screen } = context;
    const [what = 'list', who, role] = args;
    const team = textOf(options['team']);
    if (what === 'list') {
      const members = await operate(context, (operator) => operator.members({ team }));
      if (options['json']) return screen.json(members);
      for (const { id, name, role: has } of members) screen.print(`${id}  ${has.padEnd(6)}  ${name}`);
      return;
    }
    if (!who) throw usage('whom?', serverMember.usage);
    const member = await operate(context, (operator) => {
      if (what === 'add')
        return operator.addMember({ team, name: who, role: oneOf(ROLES, options['role'] ?? 'member') });
      if (what === 'role') return operator.setRole({ team, who, role: oneOf(ROLES, role) });
      if (what === 'remove') return operator.removeMember({ team, who });
      throw usage(`there is no "server member ${what}"`, serverMember.usage);
    });
    if (options['json']) return screen.json(member);
    const said = {
      add: 'is in the team',
      role: 'is now',
      remove: 'is no longer in the team; their keys are revoked',
    };
    screen.print(
      `${member.name} (${member.id}) ${said[what as keyof typeof said]}${what === 'remove' ? '' : `: ${member.role}`}`,
    );
    if (what === 'add') screen.say(`Make a key for them: tidemark server key create --member ${member.id}`);
  },
};

export const serverKey: Verb = {
  name: 'server key',
  usage: 'server key [list | create --member <member> | revoke <id>]',
  summary: 'Keys of a team: list, create (shown once), revoke (at once).',
  options: {
    ...DATABASE,
    ...TEAM,
    member: { type: 'string', value: 'member', doc: 'Whose key: a name or an id.' },
    scopes: { type: 'string', value: 'list', doc: `What it may do: ${SCOPES.join(',')} (read,write).` },
    expires: { type: 'string', value: 'when', doc: 'After so many days (90d), or at a date (2027-01-31).' },
    name: { type: 'string', value: 'text', doc: 'What it is for, to know it again.' },
    ...JSON_OPTION,
  },
  examples: [
    'tidemark server key create --member Ben --scopes read,write --expires 90d --name laptop',
    'tidemark server key revoke 4hq2v0c3kzmn',
  ],
  async run(context) {
    const { args, options } = context;
    const [what = 'list', id] = args;
    const team = textOf(options['team']);
    if (what === 'list') return list(context, team);
    if (what === 'create') return create(context, team);
    if (what !== 'revoke') throw usage(`there is no "server key ${what}"`, serverKey.usage);
    if (!id) throw usage('which key?', 'See them with: tidemark server key list');
    await operate(context, (operator) => operator.revokeKey({ team, id: idOf(id) }));
    if (options['json']) return context.screen.json({ revoked: idOf(id) });
    context.screen.print(`Revoked ${idOf(id)}: it is refused from now on.`);
  },
};

async function list(context: Context, team: string | undefined): Promise<void> {
  const { options, screen } = context;
  const [keys, members] = await operate(context, async (operator) => [
    await operator.keys({ team }),
    await operator.members({ team }),
  ]);
  if (options['json']) return screen.json(keys);
  for (const key of keys) {
    const holder = members.find(({ id }) => id === key.member)?.name ?? '(no longer in the team)';
    const state = key.revokedAt ? 'revoked' : isPast(key.expiresAt) ? 'expired' : 'good';
    const until = key.expiresAt ? ` until ${key.expiresAt.slice(0, 10)}` : '';
    const used = key.lastUsedAt ? `, used ${key.lastUsedAt.slice(0, 16).replace('T', ' ')}` : ', never used';
    const named = key.name ? `  “${key.name}”` : '';
    screen.print(`${key.id}  ${state.padEnd(7)}  ${holder}: ${key.scopes.join(',')}${until}${used}${named}`);
  }
}

async function create(context: Context, team: string | undefined): Promise<void> {
  const { options, screen } = context;
  const who = textOf(options['member']);
  if (!who) throw usage('whose key?', 'Say it with --member <name or id>.');
  const scopes = (textOf(options['scopes']) ?? 'read,write')
    .split(',')
    .map((scope) => oneOf(SCOPES, scope.trim()));
  const expiresAt = expiryOf(textOf(options['expires']), Date.now());
  const made = await operate(context, (operator) =>
    operator.createKey({
      team,
      who,
      scopes,
      name: textOf(options['name']) ?? '',
      ...given({ expiresAt }),
    }),
  );
  if (options['json']) return screen.json(made);
  screen.print(made.secret);
  screen.say(
    'Shown this once and stored nowhere. Hand it over like a password; it is used with: tidemark login',
  );
}

/** `90d` or `2027-01-31`. */
export function expiryOf(text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1];
  const at = days === undefined ? Date.parse(text) : now + Number(days) * DAY_MS;
  if (!Number.isNaN(at) && (days !== undefined || /^\d{4}-\d\d-\d\d/.test(text)))
    return new Date(at).toISOString();
  throw usage(`"${text}" is not a time`, 'Write --expires 90d or --expires 2027-01-31.');
}

/** The id alone, or a whole key or its beginning pasted. */
function idOf(text: string): string {
  return text.replace(/^tmk_/, '').replace(/_.*$/, '');
}

function isPast(time: string | undefined): boolean {
  return time !== undefined && Date.parse(time) <= Date.now();
}

function oneOf<T extends string>(known: readonly T[], given: string | boolean | undefined): T {
  const found = known.find((one) => one === given);
  if (found === undefined)
    throw usage(`"${given ?? ''}" is none of ${known.join(', ')}`, `Choose one of: ${known.join(', ')}`);
  return found;
}

function textOf(given: string | boolean | undefined): string | undefined {
  return typeof given === 'string' && given !== '' ? given : undefined;
}

function usage(message: string, hint: string): TidemarkError {
  return new TidemarkError('usage', message, { hint });
}
