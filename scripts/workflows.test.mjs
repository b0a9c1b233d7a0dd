/** The CI workflows cannot run here, so this reads them: valid YAML, scripts that exist, pinned actions, few rights. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseDocument } from 'yaml';
import { root } from './_setup.mjs';

const folder = path.join(root, '.github', 'workflows');
const { scripts, engines } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
/** npm commands that are no scripts of ours. */
const NPM_COMMANDS = new Set(['pack', 'publish']);
const workflows = fs.readdirSync(folder).map((name) => {
  const text = fs.readFileSync(path.join(folder, name), 'utf8');
  const document = parseDocument(text, { uniqueKeys: true });
  return { name, text, problems: [...document.errors, ...document.warnings], content: document.toJS() };
});

test('every workflow is valid YAML with triggers and jobs', () => {
  assert.ok(workflows.length > 0);
  for (const { name, problems, content } of workflows) {
    assert.deepEqual(problems, [], name);
    assert.ok(content.on && Object.keys(content.jobs).length > 0, name);
  }
});

test('every npm script that a workflow calls exists, and every suite that it names', () => {
  for (const { job, run } of commands()) {
    for (const [, name] of run.matchAll(/\bnpm run ([\w:-]+)/g)) {
      assert.ok(scripts[name], `${job}: npm run ${name}`);
    }
    for (const [, command] of run.matchAll(/\bnpm (?!run\b)(\w+)/g)) {
      assert.ok(NPM_COMMANDS.has(command) || scripts[command], `${job}: npm ${command}`);
    }
    for (const [, suite] of run.matchAll(/--only (\w+)/g)) {
      const exists = suite === 'unit' || fs.existsSync(path.join(root, 'test', suite));
      assert.ok(exists, `${job}: --only ${suite}`);
    }
    for (const [file] of run.matchAll(/\b(?:scripts|test)\/[\w./-]+/g)) {
      assert.ok(fs.existsSync(path.join(root, file)), `${job}: ${file}`);
    }
  }
});

test('actions are those of GitHub, pinned to a commit with its version beside it', () => {
  for (const { name, text } of workflows) {
    const used = [...text.matchAll(/\buses:(.*)$/gm)].map(([, what]) => what.trim());
    assert.ok(used.length > 0, name);
    for (const what of used) assert.match(what, /^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, name);
  }
});

test('a workflow may only read the repository, keeps no token and uses no secret', () => {
  for (const { name, text, content } of workflows) {
    assert.deepEqual(content.permissions, { contents: 'read' }, name);
    for (const [job, { permissions, steps }] of Object.entries(content.jobs)) {
      assert.equal(permissions, undefined, `${name} ${job}`);
      const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      for (const step of checkouts) assert.equal(step.with['persist-credentials'], false, `${name} ${job}`);
    }
    assert.doesNotMatch(text, /pull_request_target|secrets\.|registry/, name);
  }
});

test('a workflow puts no text of a pull request into a command, and names no path of a machine', () => {
  for (const { job, run } of commands()) {
    assert.doesNotMatch(run, /\$\{\{/, job);
    assert.doesNotMatch(run, /(?:^|[\s"'=])(?:\/(?:home|Users|opt|usr)\/|[A-Z]:\\)/, job);
  }
});

test('the unit tests run on three systems with the oldest and the current Node, with a time limit on every job', () => {
  const { jobs } = workflows.find(({ name }) => name === 'ci.yml').content;
  const { os, node } = jobs.unit.strategy.matrix;
  assert.deepEqual(
    os.map((label) => label.split('-')[0]),
    ['ubuntu', 'macos', 'windows'],
  );
  assert.equal(node[0], Number(/\d+/.exec(engines.node)[0]));
  assert.ok(node.includes(24));
  for (const [job, { 'timeout-minutes': limit }] of Object.entries(jobs)) assert.ok(limit > 0, job);
});

/** The shell commands of all jobs. */
function commands() {
  return workflows.flatMap(({ name, content }) =>
    Object.entries(content.jobs).flatMap(([job, { steps }]) =>
      steps.filter(({ run }) => run).map(({ run }) => ({ job: `${name} ${job}`, run })),
    ),
  );
}
