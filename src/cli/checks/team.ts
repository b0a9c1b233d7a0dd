/** The exchange with a team server, where there is one: whether it goes, and what two people wrote at once. */
import type { Client } from '../../daemon/index.ts';
import type { TeamView } from '../../exchange/sync/team/index.ts';
import { age } from '../../recall/index.ts';
import { counted } from '../screen.ts';
import { note, well, wrong, type Check } from './check.ts';

const NAME = 'team';

/** Nothing where nobody has logged in and nothing is shared. */
export async function team(client: Client): Promise<readonly Check[]> {
  const view = await client.call<TeamView>('read.team');
  if (!view.configured && view.projects.length === 0) return [];
  const refused = view.projects.flatMap((one) => one.refused);
  const skipped = view.projects.flatMap((one) => one.skipped);
  return [
    exchange(view),
    ...(refused.length > 0
      ? [
          note(
            NAME,
            `${counted(refused.length, 'entry', 'entries')} refused by the server`,
            'See: tidemark team',
          ),
        ]
      : []),
    ...(skipped.length > 0
      ? [
          note(
            NAME,
            `${counted(skipped.length, 'change')} of the team skipped because this version cannot read ${skipped.length === 1 ? 'it' : 'them'}`,
            'See which with: tidemark team. Each exchange tries again; update Tidemark here or on the server.',
          ),
        ]
      : []),
    ...(view.conflicts.length > 0
      ? [
          note(
            NAME,
            `${counted(view.conflicts.length, 'text')} gave way to another of the same entry`,
            'Read them with: tidemark team --conflicts; let them go with: tidemark team --seen <id>',
          ),
        ]
      : []),
  ];
}

function exchange({ configured, problem, projects, waiting, lastGoodAt }: TeamView): Check {
  if (!configured)
    return note(
      NAME,
      `${counted(projects.length, 'project')} shared, but logged out`,
      'Log in: tidemark login <url>',
    );
  const facts = `${counted(projects.length, 'project')} shared, ${counted(waiting, 'change')} to go`;
  const last = lastGoodAt ? `last exchange ${age(lastGoodAt, new Date())}` : 'no exchange yet';
  if (!problem) return well(NAME, `${facts}, ${last}`);
  // A server that is away is no fault of this machine, and costs nothing here.
  if (problem.code === 'team.away' || problem.code === 'team.busy')
    return note(
      NAME,
      `the server does not answer; ${facts}, ${last}`,
      'Nothing is lost. Try at once: tidemark team --now',
    );
  const why =
    problem.code === 'team.key' ? 'the server does not know the key' : `the exchange fails (${problem.code})`;
  return wrong(NAME, `${why}; ${facts}, ${last}`, 'See what it says with: tidemark team');
}
