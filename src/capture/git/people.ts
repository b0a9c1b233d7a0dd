/** The authors and committers of a repository, by name and address. Only reads. */
import { given } from '../../core/index.ts';
import { askGit, type GitQuestion } from './git-process.ts';

export interface GitPerson {
  readonly name: string;
  readonly email?: string;
}

/** Commits that are read: enough for everyone who is active, and quick on a large history. */
const MOST_COMMITS = 5000;
const MOST_PEOPLE = 1000;
const TIMEOUT_MS = 10_000;

/** Returns no one for a folder that is no repository. */
export async function peopleIn(root: string): Promise<readonly GitPerson[]> {
  const args: GitQuestion['args'] = [
    'log',
    '--all',
    '--no-mailmap',
    `-n${MOST_COMMITS}`,
    '--format=%an%x09%ae%n%cn%x09%ce',
  ];
  const out = await askGit({ root, args, timeoutMs: TIMEOUT_MS });
  const lines = new Set((out ?? '').split('\n').filter((line) => line.trim() !== ''));
  return [...lines].slice(0, MOST_PEOPLE).map((line) => {
    const [name = '', email] = line.split('\t');
    return { name, ...given({ email: email === '' ? undefined : email }) };
  });
}
