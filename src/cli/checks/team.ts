/** Checks the exchange with a team server, if there is one. */
import { HELD_BY_USER } from '../../core/index.ts';
import type { Client } from '../../daemon/index.ts';
import type { TeamView } from '../../exchange/sync/team/index.ts';
import { age } from '../../recall/index.ts';
import { counted } from '../screen.ts';
import { checkOf, type Check } from './check.ts';

const CHECK = checkOf('team');

/** Returns nothing when the user never logged in and nothing is shared. */
export async function team(client: Client): Promise<readonly Check[]> {
  const view = await client.call('read.team', {});
  if (!view.configured && view.projects.length === 0) return [];
  const refused = view.projects.flatMap((one) => one.refused);
  const skipped = view.projects.flatMap((one) => one.skipped);
  const notes = [
    { n: refused.length, one: 'entry', what: 'refused by the server', next: 'See: tidemark team' },
    {
      n: skipped.length,
      one: 'change',
      what: 'from the team skipped, because this version cannot read it',
      next: 'See which with: tidemark team. Each exchange tries again; update Tidemark here or on the server.',
    },
    {
      n: view.conflicts.length,
      one: 'text',
      what: 'replaced by another version of the same entry',
      next: 'Read them with: tidemark team --conflicts; dismiss them with: tidemark team --seen <id>',
    },
  ];
  const found = notes.filter(({ n }) => n > 0);
  return [
    exchange(view),
    ...local(view),
    ...found.map(({ n, one, what, next }) => CHECK.note(`${counted(n, one)} ${what}`, next)),
  ];
}

/** New entries that wait, and those that stay here, by reason. */
function local({ projects }: TeamView): readonly Check[] {
  const delayed = projects.flatMap((one) => one.delayed);
  const held = projects.flatMap((one) => one.held);
  if (delayed.length + held.length === 0) return [];
  const byUser = held.filter(({ why }) => why === HELD_BY_USER).length;
  const parts = [
    { n: delayed.length, what: 'waiting to be shared' },
    { n: byUser, what: 'held back by you' },
    { n: held.length - byUser, what: 'kept here by a rule of your team' },
  ];
  const text = parts.filter(({ n }) => n > 0).map(({ n, what }) => `${counted(n, 'entry')} ${what}`);
  return [{ ...CHECK.well(text.join(', ')), next: 'See which, and decide: tidemark team' }];
}

function exchange({ configured, problem, projects, waiting, lastGoodAt }: TeamView): Check {
  if (!configured)
    return CHECK.note(
      `${counted(projects.length, 'project')} shared, but logged out`,
      'Log in: tidemark login <url>',
    );
  const facts = `${counted(projects.length, 'project')} shared, ${counted(waiting, 'change')} to send`;
  const last = lastGoodAt ? `last exchange ${age(lastGoodAt, new Date())}` : 'no exchange yet';
  if (!problem) return CHECK.well(`${facts}, ${last}`);
  // An unreachable server is not a fault of this machine and loses nothing.
  if (problem.code === 'team.away' || problem.code === 'team.busy')
    return CHECK.note(
      `the server does not answer; ${facts}, ${last}`,
      'Nothing is lost. Try now: tidemark team --now',
    );
  const why =
    problem.code === 'team.key' ? 'the server does not know the key' : `the exchange fails (${problem.code})`;
  return CHECK.wrong(`${why}; ${facts}, ${last}`, 'See its message with: tidemark team');
}
