/** Finds the processes that a test run started and that still live, by the mark every one of them inherits. Linux only. */
import fs from 'node:fs';

/** @returns {{pid: number, name: string}[]} never this process itself, nor the values of anyone's environment */
export function processesOf(run) {
  if (!fs.existsSync('/proc/self/environ')) return [];
  const mark = `TIDEMARK_TEST_RUN=${run}`;
  return fs
    .readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/environ`).split('\0').includes(mark))
    .map((pid) => ({ pid: Number(pid), name: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() }));
}

export function endAll(processes) {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // gone by itself
    }
  }
}

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return ''; // gone by now, or another user's
  }
}
