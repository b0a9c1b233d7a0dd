/** Commit messages in the index: the second tier of search, beside turns. Git is their source, so nothing is lost with them. */
import { contentHash, given } from '../core/index.ts';
import { matching, type Match } from './_matching.ts';
import type { Tables } from './_tables.ts';
import { list, number, text } from './columns.ts';
import type { Database, Row } from './connection.ts';
import type { TextScope } from './text/full-text.ts';
import type { Frequencies } from './text/narrow-query.ts';
import { indexText } from './text/tokens.ts';
import type { QueryVector } from './vectors/vectors.ts';

/** A commit in the index: redacted and shortened. Neither author nor committer is stored. */
export interface IndexedCommit {
  readonly project: string;
  readonly sha: string;
  /** When it was committed. */
  readonly at: string;
  readonly subject: string;
  /** The message after the subject; empty if there is none. */
  readonly body: string;
  /** The first changed files, relative to the root of the repository. */
  readonly files: readonly string[];
  /** How many more files it changed. */
  readonly moreFiles: number;
}

export interface CommitFilter {
  readonly project?: string | readonly string[];
  /** A path, or the end of one. */
  readonly file?: string;
  readonly since?: string;
  readonly until?: string;
}

export interface CommitHit extends Match {
  readonly commit: IndexedCommit;
}

/** Weights of subject, body and files. */
export type CommitWeights = readonly [number, number, number];

const INSERT = `INSERT INTO git_commit (id, project, sha, at, subject, body, files, more_files, hash)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Adds commits, and replaces those that are known. */
export function putCommits(tables: Tables, commits: readonly IndexedCommit[]): void {
  tables.transaction(() => {
    for (const commit of commits) {
      const { project, sha, at, subject, body, files, moreFiles } = commit;
      removeOne(tables, project, sha);
      const stored = JSON.stringify(files);
      const hash = contentHash(JSON.stringify([subject, body]));
      const values = [project, sha, at, subject, body, stored, moreFiles, hash] as const;
      const row = tables.insert(INSERT, idOf(project, sha), ...values);
      tables.commitText.put(row, project, [subject, body, files.join('\n')].map(indexText));
      tables.commitVectors.outdated(row);
    }
  });
}

/** Returns how many of them were stored. */
export function removeCommits(tables: Tables, project: string, shas: readonly string[]): number {
  return tables.transaction(() => shas.filter((sha) => removeOne(tables, project, sha)).length);
}

/** Returns the hashes of a project's commits in the index. */
export function commitShas(db: Database, project: string): readonly string[] {
  return db.all('SELECT sha FROM git_commit WHERE project = ?', project).map((row) => text(row, 'sha'));
}

export function searchCommits(
  tables: Tables,
  tokens: readonly string[],
  filter: CommitFilter,
  limit: number,
  weights: CommitWeights = [1, 1, 1],
  vector?: QueryVector,
): readonly CommitHit[] {
  const within = { table: 'git_commit', text: tables.commitText, vectors: tables.commitVectors } as const;
  const scope = scopeOf(filter);
  const found = matching(tables, within, { tokens, scope, limit, weights, ...given({ vector }) });
  return found.map(({ row, ...facts }) => ({ commit: commitOf(row), ...facts }));
}

export function commitFrequencies(tables: Tables, tokens: Iterable<string>): Frequencies {
  return tables.commitText.frequencies(tokens);
}

const NAMES_FILE = `EXISTS (SELECT 1 FROM json_each(git_commit.files)
  WHERE value = ? OR substr(value, -length(?) - 1) = '/' || ?)`;

function scopeOf({ project, file, since, until }: CommitFilter): TextScope {
  const clauses = given({ 'git_commit.at >= ?': since, 'git_commit.at < ?': until });
  const projects = typeof project === 'string' ? [project] : project;
  return {
    where: [...Object.keys(clauses), ...(file === undefined ? [] : [NAMES_FILE])].join(' AND '),
    values: [...Object.values(clauses), ...(file === undefined ? [] : [file, file, file])],
    ...given({ projects }),
  };
}

function removeOne(tables: Tables, project: string, sha: string): boolean {
  const found = tables.get('SELECT row FROM git_commit WHERE id = ?', idOf(project, sha));
  if (!found) return false;
  const row = number(found, 'row');
  tables.commitText.remove(row);
  tables.commitVectors.removed(row);
  return tables.run('DELETE FROM git_commit WHERE row = ?', row) > 0;
}

/** Clones of one repository may be separate projects. */
function idOf(project: string, sha: string): string {
  return `${project}/${sha}`;
}

function commitOf(row: Row): IndexedCommit {
  return {
    project: text(row, 'project'),
    sha: text(row, 'sha'),
    at: text(row, 'at'),
    subject: text(row, 'subject'),
    body: text(row, 'body'),
    files: list(row, 'files'),
    moreFiles: number(row, 'more_files'),
  };
}
