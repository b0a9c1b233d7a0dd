/** Manages members and keys of a team server, directly on the database. */
import { given, plainLine } from '../../../core/index.ts';
import { ROLES, SCOPES } from '../../../exchange/sync/index.ts';
import { flag, optionText, usageError, value, type Context, type Verb } from '../../verb.ts';
import { exportMember, removeMember } from './_server-leaving.ts';
import { DATABASE, operate, TEAM } from './_server-program.ts';
import { sameTrial } from './_server-trial.ts';

const DAY_MS = 24 * 60 * 60_000;

export const serverMember: Verb = {
  name: 'server member',
  usage: 'server member [list | add <name> | role <member> <role> | remove <member> | export <member>]',
  summary: 'List, add and remove members of a team, change a role, or export one member’s memories.',
  options: {
    ...DATABASE,
    ...TEAM,
    role: value('role', `For a new member: ${ROLES.join(', ')} (default: member).`),
    'dry-run': flag('With remove: only show what the member has.'),
    'hand-over': value('member', 'With remove: gets their projects, and those that only they can read.'),
    erase: flag('With remove: forget their memories and replaced texts on every machine.'),
    yes: flag('With remove: do not ask.', 'y'),
  },
  examples: [
    'tidemark server member add Ben --role reader',
    'tidemark server member remove Ben --dry-run',
    'tidemark server member export Ben > ben.jsonl',
    'tidemark server member remove Ben --hand-over Ada --erase',
  ],
  async run(context) {
    const { args, options, screen } = context;
    const [what = 'list', who, role] = args;
    const team = optionText(options, 'team') || undefined;
    if (what === 'list') {
      const members = await operate(context, (operator) => operator.members({ team }));
      if (options['json']) return screen.json(members);
      for (const { id, name, role: has } of members)
        screen.print(`${id}  ${has.padEnd(6)}  ${plainLine(name)}`);
      return;
    }
    if (!who) throw usageError('no member given', serverMember.usage);
    if (what === 'remove') return removeMember(context, { team, who });
    if (what === 'export') return exportMember(context, { team, who });
    const member = await operate(context, (operator) => {
      if (what === 'add')
        return operator.addMember({ team, name: who, role: oneOf(ROLES, options['role'] ?? 'member') });
      if (what === 'role') return operator.setRole({ team, who, role: oneOf(ROLES, role) });
      throw usageError(`there is no "server member ${what}"`, serverMember.usage);
    });
    if (options['json']) return screen.json(member);
    const said = what === 'add' ? 'is in the team' : 'is now';
    screen.print(`${plainLine(member.name)} (${member.id}) ${said}: ${member.role}`);
    if (what === 'add')
      screen.say(
        `Create a key for them: tidemark server key create --member ${member.id}${sameTrial(context)}`,
      );
  },
};

export const serverKey: Verb = {
  name: 'server key',
  usage: 'server key [list | create --member <member> | revoke <id>]',
  summary: 'List, create (shown once) or revoke (immediately) keys of a team.',
  options: {
    ...DATABASE,
    ...TEAM,
    member: value('member', 'The key’s owner: a name or an id.'),
    scopes: value('list', `Permissions: ${SCOPES.join(',')} (default: read,write; for a reader: read).`),
    expires: value('when', 'When it expires: after a number of days (90d) or at a date (2027-01-31).'),
    name: value('text', 'A label to recognise the key by.'),
  },
  examples: [
    'tidemark server key create --member Ben --scopes read,write --expires 90d --name laptop',
    'tidemark server key revoke 4hq2v0c3kzmn',
  ],
  async run(context) {
    const { args, options } = context;
    const [what = 'list', id] = args;
    const team = optionText(options, 'team') || undefined;
    if (what === 'list') return list(context, team);
    if (what === 'create') return create(context, team);
    if (what !== 'revoke') throw usageError(`there is no "server key ${what}"`, serverKey.usage);
    if (!id) throw usageError('no key given', 'List them: tidemark server key list');
    await operate(context, (operator) => operator.revokeKey({ team, id: idOf(id) }));
    if (options['json']) return context.screen.json({ revoked: idOf(id) });
    context.screen.print(`Revoked ${idOf(id)}.`);
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
    const state = key.revokedAt ? 'revoked' : isPast(key.expiresAt) ? 'expired' : 'valid';
    const until = key.expiresAt ? ` until ${key.expiresAt.slice(0, 10)}` : '';
    const used = key.lastUsedAt ? `, used ${key.lastUsedAt.slice(0, 16).replace('T', ' ')}` : ', never used';
    const named = key.name ? `  “${plainLine(key.name)}”` : '';
    screen.print(
      `${key.id}  ${state.padEnd(7)}  ${plainLine(holder)}: ${key.scopes.join(',')}${until}${used}${named}`,
    );
  }
}

async function create(context: Context, team: string | undefined): Promise<void> {
  const { options, screen } = context;
  const who = optionText(options, 'member');
  if (!who) throw usageError('no member given', 'Use --member <name or id>.');
  const scopes = optionText(options, 'scopes')
    ?.split(',')
    .map((scope) => oneOf(SCOPES, scope.trim()));
  const expiresAt = expiryOf(optionText(options, 'expires') || undefined, Date.now());
  const made = await operate(context, (operator) =>
    operator.createKey({
      team,
      who,
      name: optionText(options, 'name') ?? '',
      ...given({ scopes, expiresAt }),
    }),
  );
  if (options['json']) return screen.json(made);
  screen.print(made.secret);
  screen.say('It is shown only once and not stored. Treat it like a password. Use it with: tidemark login');
}

/** `90d` or `2027-01-31`. */
function expiryOf(text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1];
  const at = days === undefined ? Date.parse(text) : now + Number(days) * DAY_MS;
  if (!Number.isNaN(at) && (days !== undefined || /^\d{4}-\d\d-\d\d/.test(text)))
    return new Date(at).toISOString();
  throw usageError(`I don't understand the time "${text}"`, 'Write --expires 90d or --expires 2027-01-31.');
}

/** Accepts an id, a full key or the start of a key. */
function idOf(text: string): string {
  return text.replace(/^tmk_/, '').replace(/_.*$/, '');
}

function isPast(time: string | undefined): boolean {
  return time !== undefined && Date.parse(time) <= Date.now();
}

function oneOf<T extends string>(known: readonly T[], given: string | boolean | undefined): T {
  const found = known.find((one) => one === given);
  if (found === undefined)
    throw usageError(
      `"${given ?? ''}" is not one of ${known.join(', ')}`,
      `Choose one of: ${known.join(', ')}`,
    );
  return found;
}
