/** The process of cli-host.ts: runs the built CLI from its first line for each command line that the parent sends. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileFunction, constants } from 'node:vm';

// Not from machine.ts, which would load much of the source.
const DIST = join(import.meta.dirname, '..', '..', 'plugin', 'dist');
const PROGRAM = join(DIST, 'cli.cjs');
const program = compileFunction(
  readFileSync(PROGRAM, 'utf8').replace(/^#!.*/, ''),
  ['exports', 'require', 'module', '__filename', '__dirname', 'process'],
  { filename: PROGRAM, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
);

// Each run adds the listeners of a process.
for (const emitter of [process, process.stdout, process.stderr]) emitter.setMaxListeners(0);

interface Command {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly mark: string;
}

process.on('message', ({ args, cwd, mark }: Command) => {
  process.chdir(cwd);
  process.argv = [process.execPath, PROGRAM, ...args];
  // The CLI sets its exit code when it has printed everything.
  const observed = new Proxy(process, {
    set(target, name, value) {
      if (name !== 'exitCode') return Reflect.set(target, name, value);
      process.send?.({ code: value });
      for (const stream of [process.stdout, process.stderr]) stream.write(mark);
      return true;
    },
  });
  const module = { exports: {} };
  program(module.exports, createRequire(PROGRAM), module, PROGRAM, DIST, observed);
});
