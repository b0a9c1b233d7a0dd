/** For tests: runs code in a real process of its own, so that it can be killed at any instant. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Child {
  readonly process: ChildProcess;
  /** Lines it printed, as they come; ends when it has died. */
  readonly lines: AsyncIterableIterator<string>;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
}

/** `code` is a module; files of this folder are imported by `${here}/name.ts`. */
export function runChild(code: string, before: readonly string[] = []): Child {
  const [command = '', ...args] = [
    ...before,
    process.execPath,
    '--no-warnings',
    '--input-type=module',
    '-e',
    code,
  ];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill); // a test that fails leaves nobody behind
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exited = new Promise<Awaited<Child['exited']>>((resolve) => {
    child.on('close', (code, signal) => {
      process.off('exit', kill);
      resolve({ code, signal, stderr });
    });
  });
  return { process: child, lines: createInterface(child.stdout)[Symbol.asyncIterator](), exited };
}
