/**
 * A load during which a server is killed and PostgreSQL crashes; both start again. Clients repeat unanswered requests. At
 * the end every acknowledged entry must exist.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { PullAnswer } from '../src/exchange/sync/index.ts';
import { TeamClient } from './_team-client.ts';
import type { Running } from './_team-database.ts';
import type { Load, Outcome } from './_team-load.ts';
import type { Site } from './_team-site.ts';

export interface CrashOutcome extends Outcome {
  readonly acknowledged: number;
  readonly missing: number;
  readonly incidents: readonly string[];
}

/** Times of the incidents, as shares of the run. */
const SERVER_KILLED = 0.35;
const POSTGRES_KILLED = 0.65;
/** Grace period after a restart, for requests that were refused just before it. */
const GRACE_MS = 1000;

export async function crashed(
  site: Site,
  { postgres, filled }: Running,
  wanted: Load,
): Promise<CrashOutcome> {
  let awayUntil = 0;
  const incidents: string[] = [];
  const away = async (what: string, work: () => Promise<void>): Promise<void> => {
    awayUntil = Number.POSITIVE_INFINITY;
    const began = performance.now();
    await work();
    incidents.push(`${what}, back after ${((performance.now() - began) / 1000).toFixed(1)} s`);
    console.error(`  ${incidents.at(-1)}`);
    awayUntil = performance.now() + GRACE_MS;
  };
  const happen = async (): Promise<void> => {
    await pause(SERVER_KILLED * wanted.seconds * 1000);
    await away('server killed', async () => {
      const [server] = site.servers;
      server?.signal('SIGKILL');
      if (server) await site.restart(server);
    });
    await pause((POSTGRES_KILLED - SERVER_KILLED) * wanted.seconds * 1000);
    await away('PostgreSQL crashed', async () => {
      await postgres.stop('SIGQUIT');
      await postgres.start();
    });
  };
  const [outcome] = await Promise.all([
    site.load.run({ ...wanted, isAway: () => performance.now() < awayUntil }),
    happen(),
  ]);
  const client = new TeamClient(site.servers[0]?.url ?? '');
  const keys = new Map(filled.clients.map(({ key, team }) => [team.caller.team, key]));
  let [acknowledged, missing] = [0, 0];
  for (const [team, ids] of site.load.acknowledged) {
    const stored = await storedIn(client, keys.get(team), site.load.projectOf(team));
    acknowledged += ids.size;
    missing += [...ids].filter((id) => !stored.has(id)).length;
  }
  client.close();
  return { ...outcome, acknowledged, missing, incidents };
}

async function storedIn(
  client: TeamClient,
  key: string | undefined,
  project: string | undefined,
): Promise<ReadonlySet<string>> {
  const stored = new Set<string>();
  for (let after = 0, more = true; more;) {
    const path = `/v1/projects/${project}/changes?after=${after}`;
    const page = await client.ok<PullAnswer>(key, 'GET', path);
    for (const change of page.changes) if (change.op === 'put') stored.add(change.entry.id);
    ({ next: after, more } = page);
  }
  return stored;
}

export function printCrash(found: CrashOutcome & { readonly commit: string; readonly seed: number }): void {
  console.log(
    `commit ${found.commit}, seed ${found.seed}: ${found.clients} clients, ${found.seconds.toFixed(0)} s; ${found.incidents.join('; ')}\n`,
  );
  console.log('| what | n | p50 ms | p95 ms | p99 ms |\n|---|---|---|---|---|');
  for (const [deed, { n, ...ms }] of Object.entries(found.times)) {
    const shown = [ms.p50, ms.p95, ms.p99].map((one) => one.toFixed(0));
    console.log(`| ${[deed, n, ...shown].join(' | ')} |`);
  }
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([what, n]) => `${n} × ${what}`)
      .join(', ') || 'none';
  console.log(
    `\n${found.requests} requests, ${found.perSecond.toFixed(0)} per second. Failed: ${list(found.errors)}.`,
  );
  console.log(`Repeated while the server or PostgreSQL was down: ${list(found.whileAway)}.`);
  console.log(`${found.acknowledged} entries acknowledged, ${found.missing} of them missing afterwards.`);
}
