/**
 * `node bench/server-waiting.ts [--machines 2000] [--seconds 60]`: machines that wait for changes at the built server, each
 * with its own connection: memory of the server for each, CPU time while they wait and renew their waits, and the time
 * until all of them are answered after one push.
 */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  createKey,
  createTeam,
  ensureProject,
  pushChanges,
  setShare,
  TeamStore,
} from '../src/server/store/index.ts';
import { startTeamServer } from '../test/support/team-server.ts';
import { entryOf, put } from '../test/support/team.ts';
import { cpuSeconds, memoryOf } from './_process-memory.ts';
import { withPostgres } from './_team-database.ts';

/** As many as one key may have. */
const PER_KEY = 8;
const { values } = parseArgs({
  options: { machines: { type: 'string', default: '2000' }, seconds: { type: 'string', default: '60' } },
});
const [machines, seconds] = [Number(values.machines), Number(values.seconds)];

await withPostgres(undefined, async (postgres) => {
  const database = await postgres.newDatabase();
  const store = await TeamStore.open({ database });
  const owner = await createTeam(store, { name: 'Harbour', owner: 'Ada' });
  const { project, keys } = await store.transaction(owner, async (work) => {
    const { id } = await ensureProject(work, { name: 'open', keys: ['git:open'] });
    await setShare(work, id, { member: null, access: 'write' });
    const made: string[] = [];
    for (let n = 0; n < machines / PER_KEY; n++)
      made.push((await createKey(work, { member: owner.member, scopes: ['read'] })).secret);
    return { project: id, keys: made };
  });
  const server = await startTeamServer(database);
  try {
    const agent = new Agent({ keepAlive: true, maxSockets: machines });
    const body = JSON.stringify({ projects: [{ id: project, after: 0 }] });
    let [renewed, failed] = [0, 0];
    const wait = (n: number): Promise<void> =>
      new Promise((resolve) => {
        const headers = {
          authorization: `Bearer ${keys[n % keys.length]}`,
          'content-type': 'application/json',
        };
        const path = '/v1/changes/wait';
        const sent = request({ port: server.port, host: '127.0.0.1', method: 'POST', path, headers, agent });
        sent.on('response', (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
          answer.on('end', () => {
            if (answer.statusCode !== 200) failed++;
            if (text.includes(project) || answer.statusCode !== 200) return resolve();
            renewed++;
            resolve(wait(n));
          });
        });
        sent.on('error', () => {
          failed++;
          resolve();
        });
        sent.end(body);
      });
    const waiting = async (): Promise<number> =>
      Number(
        /^tidemark_waiting_machines (\d+)/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1],
      );
    await pause(2000);
    const before = memoryOf(server.pid).rssMb;
    const all = Array.from({ length: machines }, (_, n) => wait(n));
    while ((await waiting()) + failed < machines) await pause(200);
    const [full, cpu] = [memoryOf(server.pid).rssMb, cpuSeconds(server.pid)];
    await pause(seconds * 1000);
    const [later, used] = [memoryOf(server.pid).rssMb, cpuSeconds(server.pid) - cpu];
    const began = performance.now();
    await store.transaction(owner, (work) =>
      pushChanges(work, project, { changes: [put(entryOf('One change'))], idempotencyKey: 'one-change' }),
    );
    await Promise.race(all);
    const first = performance.now() - began;
    await Promise.all(all);
    const last = performance.now() - began;
    console.log(`${machines} machines, ${failed} failed`);
    for (const line of server.log.filter(({ level }) => level !== 'info')) console.log(JSON.stringify(line));
    console.log(
      `memory of the server: ${[before, full, later].map(Math.round).join(', ')} MB before, at once, after ${seconds} s`,
    );
    console.log(`${(((later - before) * 1024) / machines).toFixed(1)} KB for each`);
    console.log(`CPU time: ${used.toFixed(1)} s in ${seconds} s, ${renewed} waits renewed`);
    console.log(`first answer ${Math.round(first)} ms after the push began, last ${Math.round(last)} ms`);
  } finally {
    await server.stop();
    await store.close();
  }
});
