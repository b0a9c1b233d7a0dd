/**
 * Runs test files one after another in this process, each as a suite of its own, named by its number, so that the hooks
 * of a file run for its tests only. A file that leaves a shared process changed fails. Before each file it writes its process
 * id and the number to the progress file, for the parent (`_suite.mjs`). After the last one the process has so many
 * milliseconds to end.
 *
 *   node _test-files.mjs PROGRESS-FILE MILLISECONDS [OPTION …] -- FILE …
 */
import fs from 'node:fs';
import { after, suite } from 'node:test';
import { pathToFileURL } from 'node:url';

const [progress, endWithin, ...rest] = process.argv.slice(2);
const files = rest.slice(rest.indexOf('--') + 1);
/** With a pattern no hook runs in a file without a matching test. */
const isFiltered = process.execArgv.some((option) => option.startsWith('--test-name-pattern'));
/** One entry per file: the kinds of handles that are open after it and were not before. */
const opened = [];

for (const [number, file] of files.entries()) {
  tell(number);
  await runFile(number, file);
}
tell(files.length);
setTimeout(reportOpenHandles, Number(endWithin)).unref();

function runFile(number, file) {
  const handles = process.getActiveResourcesInfo();
  return new Promise((end) => {
    // Hooks do not run for a suite that could not be loaded.
    const next = () => setImmediate(end);
    suite(String(number), async () => {
      const before = stateOfProcess(); // now, as node:test adds listeners of its own with the first suite
      try {
        await import(pathToFileURL(file));
      } catch (error) {
        next();
        throw error;
      }
      if (isFiltered) return next();
      after(() => {
        opened[number] = without(process.getActiveResourcesInfo(), handles);
        next();
        if (files.length > 1) restore(before);
      });
    });
  });
}

/** Returns what a test file must leave as it was: the next one relies on it. */
function stateOfProcess() {
  return {
    ...prefixed('environment variable ', process.env),
    'working directory': process.cwd(),
    umask: process.umask(),
    ...prefixed('global ', Object.fromEntries(Object.getOwnPropertyNames(globalThis).map(globalOf))),
    ...prefixed(
      'listeners of the process for ',
      Object.fromEntries(
        process
          .eventNames()
          .filter(isHeard)
          .map((name) => [String(name), process.listenerCount(name)]),
      ),
    ),
  };
}

/** Libraries clean up when the process exits, which changes nothing for the next file. */
function isHeard(event) {
  return event !== 'exit';
}

/** Reads no getter: most globals of Node are loaded by their first use. */
function globalOf(name) {
  const { value, get } = Object.getOwnPropertyDescriptor(globalThis, name);
  return [name, value ?? get];
}

function prefixed(prefix, values) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
}

/** Puts back the environment and the working directory, and throws if anything was changed. */
function restore(before) {
  const now = stateOfProcess();
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  const changed = names.filter((name) => !Object.is(before[name], now[name]));
  if (changed.length === 0) return;
  for (const name of changed) {
    const variable = name.startsWith('environment variable ') ? name.slice(21) : undefined;
    if (variable === undefined) continue;
    if (before[name] === undefined) delete process.env[variable];
    else process.env[variable] = before[name];
  }
  process.chdir(before['working directory']);
  process.umask(before.umask);
  throw new Error(`the file leaves the process changed: ${changed.join(', ')}`);
}

/** Returns the entries of a list that another does not contain, counting repetitions. */
function without(list, others) {
  const left = [...others];
  return list.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function reportOpenHandles() {
  const number = opened.findIndex((kinds) => (kinds ?? []).length > 0);
  tell(`${files.length} ${Math.max(0, number)}`);
  console.error(`The process does not end. Open: ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(1);
}

function tell(number) {
  fs.writeFileSync(`${progress}.new`, `${process.pid} ${number}`);
  fs.renameSync(`${progress}.new`, progress);
}
