/** Starts the daemon; with --welcome, everything a newcomer needs to see it work. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportReport } from '../../daemon/index.ts';
import { listTranscripts } from '../../import/index.ts';
import { ownCommand, recordProgram } from '../program.ts';
import { JSON_OPTION, type Context, type Verb } from '../verb.ts';
import { bringHistory, claudeConfigDir } from './import-history.ts';

export const start: Verb = {
  name: 'start',
  usage: 'start [--welcome]',
  summary: 'Start the daemon; with --welcome, also bring history in and stay until Ctrl-C.',
  options: {
    welcome: {
      type: 'boolean',
      doc: 'Bring history in (or a sample), say what was remembered, stay until Ctrl-C.',
    },
    ...JSON_OPTION,
  },
  async run(context) {
    const { client, options, screen } = context;
    recordProgram(context.places);
    const { started } = await client.start();
    if (options['welcome']) return welcome(context, started);
    if (options['json']) return screen.json({ started });
    screen.print(started ? 'The daemon is running.' : 'The daemon was running already.');
  },
};

async function welcome(context: Context, started: boolean): Promise<void> {
  const { client, screen, cwd } = context;
  const leaving = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  const report = await Promise.race([bringSomething(context), leaving]);
  if (report) {
    const stats = await client.call<{ memories: number; turns: number; sessions: number; projects: number }>(
      'read.stats',
    );
    const hub = await client.call<{ url: string }>('hub.link');
    const source = report.sample
      ? ' (a bundled sample project: no Claude Code history was found on this machine)'
      : '';
    screen.print(
      `Remembered: ${stats.memories} memories from ${stats.turns} turns in ${stats.sessions} sessions of ${stats.projects} projects${source}.`,
    );
    screen.print(`Hub:        ${hub.url}`);
    screen.print(`Install:    ${ownCommand(cwd)} install`);
    screen.say('Ctrl-C to leave.');
    await leaving;
  }
  screen.done();
  if (started) await client.call('stop').catch(() => {});
}

async function bringSomething(context: Context): Promise<ImportReport & { readonly sample: boolean }> {
  const own = claudeConfigDir(context.env);
  if (listTranscripts(own).length > 0) return { ...(await bringHistory(context, own)), sample: false };
  const sample = join(__dirname, '..', 'sample');
  const configDir = existsSync(sample) ? sample : own;
  return { ...(await bringHistory(context, configDir)), sample: true };
}
