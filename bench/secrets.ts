/**
 * Measures redaction with planted secrets: the rate by class, and the false alarms on harmless texts and on the project's
 * own files.
 *
 *   npm run bench:secrets -- [--half dev|held] [--misses] [--json] [--live]
 *
 * Detectors may be tuned on the development half (`dev`) only. `--misses` lists the secrets that survived. `--live` sends
 * them through real hooks, transcripts, imports, CLI, MCP and hub instead, and searches the data folder and the requests
 * to the model.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { harmless, planted, type Half, type Planted } from './_secrets-plant.ts';
import { alarmsInFile, falseAlarms, ratesOf, survives, type Rate, type Rates } from './_secrets-score.ts';

const ROOT = join(import.meta.dirname, '..');
const HALVES: readonly Half[] = ['dev', 'held'];
/** Tests of redaction and of this benchmark contain what a detector should find. */
const ABOUT_SECRETS = /^src\/privacy\/|secret|redact|\.lock$/;
const OWN_TEXT = /^(?:src|docs|web|scripts)\/.*\.(?:ts|tsx|mjs|md|css|html)$|^[A-Z]+\.md$/;

const { values: options } = parseArgs({
  options: {
    half: { type: 'string' },
    misses: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    live: { type: 'boolean', default: false },
  },
});
const half = HALVES.find((name) => name === options.half);
if (options.half !== undefined && half === undefined) throw new Error('give --half dev or --half held');
const isWanted = (one: { readonly half: Half }): boolean => half === undefined || one.half === half;
const secrets = planted().filter(isWanted);

if (options.live) await runLive();
else runFunctions();

function runFunctions(): void {
  const leaks = new Set(secrets.filter(survives));
  const rates = ratesOf(secrets, (one) => leaks.has(one));
  const texts = harmless().filter(isWanted);
  const alarms = falseAlarms(texts);
  const own = ownFiles();
  const ownAlarms = own.files.flatMap(({ name, text }) => alarmsInFile(name, text));
  const perMegabyte = Number((ownAlarms.length / (own.bytes / 1e6)).toFixed(2));
  if (options.json) {
    console.log(
      JSON.stringify({ ...head(), ...asJson(rates), texts: texts.length, alarms, perMegabyte, ownAlarms }),
    );
    return;
  }
  print(rates);
  console.log(`\nfalse alarms: ${alarms.length} of ${texts.length} harmless texts`);
  for (const { where, excerpt } of alarms) console.log(`  ${where}: ${excerpt}`);
  const size = (own.bytes / 1e6).toFixed(1);
  console.log(
    `\nfalse alarms in the project's own files: ${ownAlarms.length} in ${size} MB, ${perMegabyte} per MB`,
  );
  for (const { where, excerpt } of ownAlarms) console.log(`  ${where}: ${excerpt}`);
  if (options.misses) printMisses('survived', [...leaks]);
}

async function runLive(): Promise<void> {
  const { plantLive } = await import('./_secrets-live.ts');
  const { onDisk, injected, turns } = await plantLive(secrets, (text) => console.error(text));
  const isLeak = (one: Planted): boolean => onDisk.has(one) || injected.has(one);
  const rates = ratesOf(secrets, isLeak);
  const counts = { onDisk: onDisk.size, injected: injected.size, turns };
  if (options.json) {
    console.log(JSON.stringify({ ...head(), ...asJson(rates), ...counts }));
    return;
  }
  print(rates);
  console.log(`\nreached the disk: ${counts.onDisk}; an injected context: ${counts.injected}`);
  if (options.misses) printMisses('leaked', secrets.filter(isLeak));
}

function head(): object {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim();
  const data = createHash('sha256').update(JSON.stringify(secrets)).digest('hex').slice(0, 12);
  return { commit, data, half: half ?? 'both' };
}

function print(rates: Rates): void {
  console.log(
    Object.entries(head())
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
  );
  console.table(
    Object.fromEntries(
      [...rates.classes].map(([name, rate]) => [
        name,
        { planted: rate.planted, caught: rate.caught, rate: share(rate) },
      ]),
    ),
  );
  for (const [name, rate] of rates.groups) console.log(line(name, rate));
  console.log(line('other classes together', rates.others));
  console.log(line('overall', rates.overall));
}

function line(name: string, rate: Rate): string {
  return `${name.padEnd(24)} ${rate.caught} of ${rate.planted} (${share(rate)})`;
}

function share({ caught, planted: all }: Rate): string {
  return `${((100 * caught) / all).toFixed(1)} %`;
}

function asJson({ groups, classes, ...sums }: Rates): object {
  return { ...sums, groups: Object.fromEntries(groups), classes: Object.fromEntries(classes) };
}

function printMisses(what: string, misses: readonly Planted[]): void {
  for (const { class: name, channel, text } of misses)
    console.log(`${what}: ${name} (${channel}): ${JSON.stringify(text.slice(0, 300))}`);
}

function ownFiles(): { readonly files: readonly { name: string; text: string }[]; readonly bytes: number } {
  const names = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  const files = names
    .filter((name) => OWN_TEXT.test(name) && !ABOUT_SECRETS.test(name))
    .map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));
  return { files, bytes: files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) };
}
