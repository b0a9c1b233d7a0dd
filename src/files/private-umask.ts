/** Runs `work` with the umask of private files; a process that it starts inherits that. Not in a worker thread. */
export function withPrivateUmask<T>(work: () => T): T {
  const before = process.umask(0o077);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}
