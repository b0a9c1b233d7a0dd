/** Messages that were taken in and are no memories yet: how many, and for how long the oldest has waited. */
import type { Look } from '../store/index.ts';
import type { Finding } from './doctor.ts';

/** A server that runs digests within seconds; so long only where none does, or it cannot. */
const TOO_LONG_MS = 10 * 60_000;

export async function queue({ rows }: Look, now: Date): Promise<Finding> {
  const name = 'messages';
  let waiting = 0;
  let oldest = now.getTime();
  for (const { team_id: team, member_id: member } of await rows('SELECT * FROM tidemark.waiting()')) {
    await rows("SELECT set_config('tidemark.team', $1, true), set_config('tidemark.member', $2, true)", [
      team,
      member,
    ]);
    const [row] = await rows(
      `SELECT count(*)::int AS waiting, min(received_at) AS oldest FROM tidemark.message
       WHERE team_id = $1 AND member_id = $2 AND state = 'queued'`,
      [team, member],
    );
    waiting += Number(row?.['waiting'] ?? 0);
    if (row?.['oldest'] instanceof Date) oldest = Math.min(oldest, row['oldest'].getTime());
  }
  if (waiting === 0) return { name, verdict: 'well', evidence: 'none wait to become memories' };
  const since = Math.round((now.getTime() - oldest) / 1000);
  const evidence = `${waiting} wait to become memories, the oldest for ${since} s`;
  if (since * 1000 < TOO_LONG_MS) return { name, verdict: 'well', evidence };
  return {
    name,
    verdict: 'note',
    evidence,
    next: 'Does a server run? What it cannot digest is in its log ("messages not digested").',
  };
}
