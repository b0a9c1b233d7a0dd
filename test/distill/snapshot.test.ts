/** Snapshots, restores and stops while a model that never answers is asked, by each kind of driver. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { waitFor } from '../support/wait-for.ts';
import { startApi } from './_api-stand-in.ts';
import { machineAsking, PlayedSession } from './_played-session.ts';

for (const driver of ['api', 'claude', 'queue'] as const) {
  test(`a snapshot does not wait for a model that never answers: ${driver}`, async (t) => {
    const api = await startApi(t, [{ hang: true }]);
    const folder = mkdtempSync(join(tmpdir(), 'silent-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const asked = join(folder, 'asked');
    writeFileSync(join(folder, 'claude'), silentClient(asked), { mode: 0o755 });
    const queue = join(folder, 'queue');
    const machine = machineAsking(t, api, {
      TIDEMARK_DISTILL_DRIVER: driver,
      TIDEMARK_DISTILL_QUEUE: queue,
    });
    machine.setEnv({ PATH: [folder, machine.env['PATH']].join(delimiter) });
    await machine.up();
    const session = new PlayedSession(machine);
    await session.start();
    await session.turn();
    const isAsked = (): boolean =>
      api.requests.length > 0 || existsSync(asked) || (existsSync(queue) && readdirSync(queue).length > 0);
    await waitFor('the request', isAsked, { explain: () => machine.logs() });
    const distilling = machine.startCli(['distill']);
    for (const to of [[], ['--to', join(folder, 'disk')]]) {
      const { code, stdout, stderr } = await machine.cli(['backup', ...to]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /verified/);
    }
    const restored = await machine.cli(['restore', '--yes']);
    assert.equal(restored.code, 0, restored.stderr);
    distilling.kill();
    await machine.stopDaemon();
  });
}

/** Answers questions about itself, and never a prompt. */
function silentClient(asked: string): string {
  return `#!/bin/sh
case "$1" in
  --version) echo 9.9.9 ;;
  auth) echo '{"loggedIn":true,"subscriptionType":"max"}' ;;
  *) touch '${asked}'; exec sleep 600 ;;
esac
`;
}
