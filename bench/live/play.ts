/**
 * Plays a project with a player who writes what the agent would. Prints no labels.
 *
 *   node bench/live/play.ts start PROJECT --mode recorded|uncued --work DIR   prints the first turn
 *   node bench/live/play.ts answer PROJECT --work DIR < file                  stores the answer, prints the next turn
 *   node bench/live/play.ts collect --mode recorded|uncued --work DIR         adds the finished projects to data/<mode>.json
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LivedProject } from './_lived.ts';
import { idsIn } from './_notes.ts';
import { PROJECTS, recordingsFile, type Recording } from './_projects.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { mode: { type: 'string' }, work: { type: 'string' } },
});
const [verb, name = ''] = positionals;
const { mode } = options;

if (options.work === undefined) throw new Error('Give the folder of the plays: --work DIR');
const work = resolve(options.work);
if (verb === 'answer') await answer();
else if (mode !== 'recorded' && mode !== 'uncued') throw new Error('--mode is recorded or uncued');
else if (verb === 'start') await start(mode);
else if (verb === 'collect') collect(mode);
else throw new Error('Say start, answer or collect.');

async function start(mode: 'recorded' | 'uncued'): Promise<void> {
  if (existsSync(join(work, name, 'state.json'))) throw new Error(`${name} has been started in ${work}.`);
  const lived = await LivedProject.start(name, mode, work);
  console.log(await lived.turn());
  lived.save();
}

async function answer(): Promise<void> {
  const lived = LivedProject.resume(name, work);
  if (lived.isFinished) return console.log('This project is finished.');
  const written = readFileSync(0, 'utf8').trim();
  if (written === '' && lived.recording.mode === 'uncued') throw new Error('The answer is empty.');
  await lived.answer(written);
  console.log(lived.isFinished ? 'This project is finished.' : await lived.turn());
  if (lived.isFinished) await lived.stop();
  lived.save();
}

/** Takes the entries that a note names, no others. */
function collect(mode: 'recorded' | 'uncued'): void {
  const file = recordingsFile(mode);
  const all = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Recording>; // written below
  for (const name of PROJECTS[mode].filter((one) => existsSync(join(work, one, 'state.json')))) {
    const lived = LivedProject.resume(name, work);
    if (!lived.isFinished || lived.recording.mode !== mode) {
      console.error(`${name} is not finished in this mode.`);
      continue;
    }
    const { written, entries } = lived.recording;
    const kept = Object.entries(written).filter(([, text]) => text !== '');
    all[name] = { written: Object.fromEntries(kept), entries };
    const ids = kept.flatMap(([, text]) => idsIn(text));
    console.log(`${name}: ${kept.length} turns with text, ${ids.length} ids in notes`);
  }
  const sorted = Object.entries(all).toSorted(([a], [b]) => a.localeCompare(b));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}
