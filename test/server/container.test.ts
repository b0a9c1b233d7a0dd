/**
 * The container file, checked in every run: sources, Node, command, user. Built and run only in the long run, and only
 * where a container tool works, because an image has to be downloaded.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Machine } from '../support/machine.ts';
import { IS_LONG_RUN } from '../support/parts.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FILE = join(ROOT, 'deploy', 'Containerfile');
const BUILD_TIMEOUT_MS = 10 * 60_000;
/** The user of the official image of Node. */
const NODE_USER = 'node';

interface Instruction {
  readonly name: string;
  readonly rest: string;
}

function instructions(): readonly Instruction[] {
  const lines = readFileSync(FILE, 'utf8')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name = '', rest = ''] =
      /^([A-Z]+) +(.*)$/.exec(line) ?? assert.fail(`not an instruction: ${line}`);
    return { name, rest };
  });
}

const of = (name: string): readonly string[] =>
  instructions()
    .filter((one) => one.name === name)
    .map(({ rest }) => rest);
const listIn = (text: string | undefined): readonly string[] => JSON.parse(text ?? '[]') as string[];
const copies = (): readonly { readonly sources: readonly string[]; readonly to: string }[] =>
  of('COPY').map((rest) => {
    const words = rest.split(/ +/).filter((word) => !word.startsWith('--'));
    return { sources: words.slice(0, -1), to: words.at(-1) ?? '' };
  });

test('every file that is copied exists after a build', () => {
  const sources = copies().flatMap((one) => one.sources);
  assert.ok(sources.length > 0);
  for (const source of sources) assert.ok(existsSync(join(ROOT, source)), source);
  assert.ok(existsSync(join(ROOT, 'plugin', 'dist', 'server.cjs')), 'the program of the server');
});

test('the image has a Node that the package accepts', () => {
  const [from = ''] = of('FROM');
  const major = Number(/\/node:(\d+)/.exec(from)?.[1]);
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  const [, oldest = ''] = /^>=(\d+)/.exec(engines.node) ?? [];
  assert.ok(
    major > Number(oldest) || (major === Number(oldest) && !engines.node.includes('.')),
    `${from} and ${engines.node}`,
  );
});

test('the command exists, is executable, and takes these options', async (t) => {
  const [program = '', verb = ''] = listIn(of('ENTRYPOINT')[0]);
  const copy = copies().find(({ to }) => program.startsWith(`${to}/`));
  const [folder = ''] = copy?.sources ?? [];
  accessSync(join(ROOT, folder, program.slice((copy?.to.length ?? 0) + 1)), constants.X_OK);
  const help = await Machine.open(t).cli([verb, '--help']);
  const options = listIn(of('CMD').at(-1)).filter((word) => word.startsWith('--'));
  assert.ok(options.length > 0);
  for (const option of options) assert.match(help.stdout, new RegExp(`${option}\\b`), `${verb} ${option}`);
  assert.match(of('HEALTHCHECK')[0] ?? '', /127\.0\.0\.1:7437\/readyz/);
  assert.deepEqual(of('EXPOSE'), ['7437']);
});

test('it runs as a user without rights, and no secret is part of the image', () => {
  assert.equal(of('USER').at(-1), NODE_USER);
  const names = instructions().map(({ name }) => name);
  assert.ok(names.lastIndexOf('USER') > names.lastIndexOf('COPY'), 'files belong to root');
  for (const { rest } of instructions()) assert.doesNotMatch(rest, /DATABASE_URL|PASSWORD|tmk_/);
});

const tool = IS_LONG_RUN
  ? ['docker', 'podman'].find((name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0)
  : undefined;
const skip = IS_LONG_RUN
  ? tool === undefined && 'no container tool works here (docker info, podman info): the file was only checked'
  : 'only in npm run test:long: the file was only checked';

test('the image is built and answers', { skip }, () => {
  const run = (...args: string[]) =>
    spawnSync(tool ?? '', args, { cwd: ROOT, encoding: 'utf8', timeout: BUILD_TIMEOUT_MS });
  const built = run('build', '-f', FILE, '-t', 'tidemark-server-test', '.');
  assert.equal(built.status, 0, built.stderr);
  const help = run(
    'run',
    '--rm',
    '--read-only',
    '--cap-drop=all',
    '--tmpfs',
    '/tmp',
    'tidemark-server-test',
    '--help',
  );
  assert.match(help.stdout, /server/, help.stderr);
  const none = run(
    'run',
    '--rm',
    '--read-only',
    '--tmpfs',
    '/tmp',
    '-e',
    'DATABASE_URL=postgres://a@127.0.0.1:1/a',
    'tidemark-server-test',
  );
  assert.match(none.stderr, /nothing listens at its address/);
  run('rmi', 'tidemark-server-test');
});
