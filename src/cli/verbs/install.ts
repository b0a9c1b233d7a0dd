/** Installs the plugin through the client's own plugin commands, and takes it out again the same way. */
import { execFile } from 'node:child_process';
import { TidemarkError } from '../../model/index.ts';
import { marketplaceFolder, ownCommand, recordProgram } from '../program.ts';
import { JSON_OPTION, type Context, type Verb } from '../verb.ts';

const PLUGIN = 'tidemark@tidemark';
const STEP_TIMEOUT_MS = 60_000;

export const install: Verb = {
  name: 'install',
  usage: 'install [--dry-run]',
  summary: 'Install the Claude Code plugin from this program.',
  options: { 'dry-run': { type: 'boolean', doc: 'Say what would be done, and do nothing.' }, ...JSON_OPTION },
  async run(context) {
    const steps = [
      ['plugin', 'marketplace', 'add', marketplaceFolder()],
      ['plugin', 'install', PLUGIN, '--scope', 'user'],
    ];
    if (!context.options['dry-run']) recordProgram(context.places);
    await runSteps(context, steps);
    if (context.options['json'] || context.options['dry-run']) return;
    const command = ownCommand(context.cwd);
    context.screen.print('Installed. Every new Claude Code session is remembered from now on.');
    context.screen.print(`What is kept, redacted and for you only: ${context.places.home}`);
    context.screen.print(`Bring past sessions in, free:            ${command} import history`);
    context.screen.print(
      `Memories are made without a model. What one would cost: ${command} distill --dry-run`,
    );
  },
};

export const uninstall: Verb = {
  name: 'uninstall',
  usage: 'uninstall [--dry-run]',
  summary: 'Take the plugin out of Claude Code and stop the daemon; the journal stays.',
  options: { 'dry-run': { type: 'boolean', doc: 'Say what would be done, and do nothing.' }, ...JSON_OPTION },
  async run(context) {
    const { client, options, places, screen } = context;
    await runSteps(context, [
      ['plugin', 'uninstall', PLUGIN],
      ['plugin', 'marketplace', 'remove', 'tidemark'],
    ]);
    if (options['dry-run']) return;
    if (await client.isUp()) await client.call('stop');
    if (!options['json']) screen.print(`Uninstalled. Your journal is still in ${places.journal}.`);
  },
};

async function runSteps(
  { env, options, screen }: Context,
  steps: readonly (readonly string[])[],
): Promise<void> {
  const done: { readonly command: string; readonly output: string }[] = [];
  for (const args of steps) {
    const command = `claude ${args.join(' ')}`;
    if (options['dry-run']) done.push({ command, output: '' });
    else {
      screen.progress(command);
      done.push({ command, output: await claude(args, env) });
    }
  }
  screen.done();
  if (options['json']) return screen.json(done);
  if (options['dry-run']) for (const { command } of done) screen.print(command);
}

function claude(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('claude', [...args], { env, timeout: STEP_TIMEOUT_MS }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout.trim());
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        return reject(
          new TidemarkError('no-client', 'Claude Code is not on the PATH', {
            hint: 'Install it first: npm install -g @anthropic-ai/claude-code',
          }),
        );
      }
      const said = (stderr || stdout).trim().split('\n').at(-1) ?? '';
      reject(new TidemarkError('client-failed', `claude ${args.join(' ')}: ${said}`, { cause: error }));
    });
  });
}
