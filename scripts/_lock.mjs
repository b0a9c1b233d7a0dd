/**
 * A lock file between processes of one machine: one works, the others wait for it. Plain JavaScript for Node 18,
 * because set-up uses it before anything is installed. It never outlives its holder: a dead holder's lock is taken over.
 */
import fs from 'node:fs';
import path from 'node:path';

const POLL_MS = 250;
/** Longer than any install seen; a holder that is older hangs, or its pid belongs to someone else by now. */
const STALE_MS = 15 * 60_000;

/**
 * @template T
 * @param {string} file
 * @param {() => T | Promise<T>} work
 * @param {(pid: number) => void} [onWait] called once when someone else holds the lock
 * @returns {Promise<T>}
 */
export async function withLock(file, work, onWait) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  let told = false;
  while (!take(file)) {
    const holder = read(file);
    if (holder && isStale(holder)) {
      discard(file, holder);
      continue;
    }
    if (!told && holder) onWait?.(holder.pid);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  try {
    return await work();
  } finally {
    if (read(file)?.pid === process.pid) fs.rmSync(file, { force: true });
  }
}

/** Link, not open: the lock appears whole, so no reader ever sees it without its pid. */
function take(file) {
  const own = `${file}.${process.pid}`;
  fs.writeFileSync(own, String(process.pid));
  try {
    fs.linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    fs.rmSync(own, { force: true });
  }
}

function read(file) {
  try {
    return { pid: Number(fs.readFileSync(file, 'utf8')), since: fs.statSync(file).mtimeMs };
  } catch {
    return undefined;
  }
}

function isStale({ pid, since }) {
  if (Date.now() - since > STALE_MS) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Two waiters may both see the dead holder: the one that moved a fresh lock by mistake puts it back. */
function discard(file, holder) {
  const aside = `${file}.${process.pid}.stale`;
  try {
    fs.renameSync(file, aside);
    if (read(aside)?.pid !== holder.pid) fs.linkSync(aside, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(aside, { force: true });
  }
}
