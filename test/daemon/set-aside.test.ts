/** An event that ends the daemon, or never ends itself, is set aside; everything else goes on. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { daemonPid } from '../support/daemon.ts';
import { Machine } from '../support/machine.ts';
import { memoriesOf } from '../support/stored.ts';
import { uuid } from '../support/synthetic-transcript.ts';
import { waitFor } from '../support/wait-for.ts';

/** Far more than one of these events takes, far less than the test. */
const EVENT_LIMIT_MS = '3000';

/** Only ends the test: several daemons come and go until then. */
const SET_ASIDE_MS = 120_000;

/** Loaded into the daemon before its own code: what its writer does with a file of that name. */
const FAULTS: Readonly<Record<string, string>> = {
  dies: `process.kill(process.pid, 'SIGKILL')`,
  'runs forever': `for (;;);`,
  'waits for the system forever': `real.call(fs, FIFO, 'r')`,
};

// They only wait most of the time, each for daemons of its own machine.
describe('an event', { concurrency: true }, () => {
  for (const [fault, code] of Object.entries(FAULTS)) {
    test(
      `at which the writer ${fault} is set aside, and doctor says how to try it again`,
      { skip: process.platform !== 'linux' },
      async (t) => {
        const machine = Machine.open(t, { TIDEMARK_EVENT_LIMIT_MS: EVENT_LIMIT_MS });
        const transcript_path = join(machine.root, 'deadly.jsonl');
        writeFileSync(transcript_path, '{}\n');
        machine.setEnv({ NODE_OPTIONS: `--require ${faultyFile(machine, code)}` });
        await machine.up();
        const attempt = uuid('attempt');
        const deadly = { session_id: uuid('deadly'), transcript_path, trigger: 'auto' };
        await machine.deliver('PreCompact', deadly, { attempt });
        // Each daemon that dies is followed by another, as the next hook would start it.
        const { setAside } = await waitFor(
          'the event to be set aside',
          async () => {
            if (daemonPid(machine.places) === undefined) await machine.up();
            const status = await machine.call('status', {}).catch(() => undefined);
            return status && status.setAside.length > 0 ? status : undefined;
          },
          { timeout: SET_ASIDE_MS, explain: () => machine.logs() },
        );
        const reason = fault === 'dies' ? /ended the daemon 2 times/ : /^hung: processing took longer/;
        assert.match(setAside[0]?.reason ?? '', reason);
        const { code: doctor, stdout } = await machine.cli(['doctor']);
        assert.match(stdout, /events set aside +1: .*(?:ended the daemon|hung)[^]*tidemark failed retry/);
        assert.notEqual(doctor, 0);

        const session_id = uuid('other');
        const prompt = 'We decided to go on because others wait.';
        await machine.hook('UserPromptSubmit', { session_id, prompt });
        await machine.hook('Stop', { session_id, last_assistant_message: 'Going on.' });
        await machine.hook('SessionEnd', { session_id, reason: 'other' });
        // The sweep meets the same transcript once more, and then leaves it alone.
        await waitFor(
          'the other session to be kept',
          async () => {
            if (daemonPid(machine.places) === undefined) await machine.up();
            return (await memoriesOf(machine).catch(() => [])).length === 1;
          },
          { explain: () => machine.logs() },
        );
      },
    );
  }
});

/** A file that makes opening the deadly transcript do what `code` says, in the daemon's threads only. */
function faultyFile(machine: Machine, code: string): string {
  const fifo = join(machine.root, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const path = join(machine.root, 'faulty.cjs');
  writeFileSync(
    path,
    `const fs = require('node:fs');
const { isMainThread } = require('node:worker_threads');
const FIFO = ${JSON.stringify(fifo)};
const real = fs.openSync;
fs.openSync = (path, ...rest) => {
  if (!isMainThread && String(path).endsWith('deadly.jsonl')) { ${code}; }
  return real.call(fs, path, ...rest);
};
`,
  );
  return path;
}
