/**
 * Writes a bug report: versions, checks, settings, counts and the last log lines, redacted again. It contains no memory
 * texts, prompts or keys; the home folder is `~`, projects have numbers instead of names.
 */
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { arch, cpus, homedir, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { loadConfig, SETTING_KEYS } from '../config/index.ts';
import { VERSION, type Places } from '../core/index.ts';
import { readTextSync } from '../files/index.ts';
import { maskPath, redact } from '../privacy/index.ts';
import type { Section } from './checks/index.ts';
import type { Context } from './verb.ts';

const LOG_LINES = 100;
/** A log is rotated at 4 MB. */
const LOG_BYTES = 64 * 1024 * 1024;
const MB = 1024 * 1024;

export interface Bundle {
  readonly path: string;
  readonly holds: readonly string[];
}

export async function writeBundle(context: Context, sections: readonly Section[]): Promise<Bundle> {
  const { places } = context;
  const parts: readonly (readonly [title: string, text: string])[] = [
    ['versions', versions()],
    ['checks', checkLines(sections)],
    ['settings that are not the default', settingLines(context)],
    ['counts and sizes', sizeLines(places)],
    [`the last ${LOG_LINES} lines of the daemon's log`, tail(places.log)],
    [`the last ${LOG_LINES} lines of the hooks' log`, tail(places.hookLog)],
  ];
  const body = parts
    .map(([title, text]) => `## ${title}\n\n\`\`\`\n${text || '(none)'}\n\`\`\`\n`)
    .join('\n');
  const report = `# Tidemark report, ${new Date().toISOString()}\n\n${body}`;
  const folder = places.reports;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `tidemark-report-${new Date().toISOString().replace(/[:.]/g, '-')}.md`);
  writeFileSync(path, withoutNames(redact(report).text, places, context.cwd), { mode: 0o600, flag: 'wx' });
  return { path, holds: parts.map(([title]) => title) };
}

/** Replaces the home folder, the current folder and project names, which identify the user and their work. */
function withoutNames(text: string, places: Pick<Places, 'home' | 'journal'>, cwd: string): string {
  const projects = existsSync(places.journal)
    ? readdirSync(places.journal).toSorted((a, b) => b.length - a.length)
    : [];
  const folders: readonly (readonly [string, string])[] = [
    [places.home, '<data>'],
    ...(cwd === homedir() ? [] : [[cwd, '<here>'] as const]),
    [homedir(), '~'],
  ];
  const masked = folders.reduce((clean, [path, by]) => maskPath(clean, path, by), text);
  return projects.reduce(
    (clean, name, i) =>
      name.length > 1
        ? clean
            .replaceAll(name, `<project ${i + 1}>`)
            .replaceAll(JSON.stringify(name).slice(1, -1), `<project ${i + 1}>`)
        : clean,
    masked,
  );
}

function versions(): string {
  const memory = Math.round(totalmem() / MB / 1024);
  return [
    `tidemark ${VERSION}`,
    `node ${process.version}, sqlite ${process.versions['sqlite'] ?? 'unknown'}`,
    `${platform()} ${release()} ${arch()}, ${cpus().length} cores, ${memory} GB`,
  ].join('\n');
}

function checkLines(sections: readonly Section[]): string {
  return sections
    .flatMap(({ checks }) => checks)
    .map(
      ({ name, verdict, evidence, next }) =>
        `${verdict.padEnd(6)}${name}: ${evidence}${next ? ` -> ${next}` : ''}`,
    )
    .join('\n');
}

function settingLines({ places, env, cwd }: Context): string {
  const { values, origins, problems } = loadConfig({ places, env, projectDir: cwd });
  const own = SETTING_KEYS.filter((key) => origins[key] !== 'default');
  return [
    ...own.map((key) => `${key} = ${JSON.stringify(values[key])} (${origins[key]})`),
    ...problems.map(({ where, reason }) => `${where}: ${reason}`),
  ].join('\n');
}

function sizeLines(places: Places): string {
  const stores = { journal: places.journal, turns: places.turns, ledger: places.ledger, spool: places.spool };
  const folders = Object.entries({ ...stores, index: join(places.home, 'index') });
  return folders
    .map(([name, folder]) => {
      const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
      const sizes = files.map((file) => statSync(join(folder, file), { throwIfNoEntry: false }));
      const bytes = sizes.reduce((sum, stat) => sum + (stat?.isFile() ? stat.size : 0), 0);
      return `${name}: ${sizes.filter((stat) => stat?.isFile()).length} files, ${(bytes / MB).toFixed(1)} MB`;
    })
    .join('\n');
}

function tail(path: string): string {
  try {
    return readTextSync(path, LOG_BYTES).trimEnd().split('\n').slice(-LOG_LINES).join('\n');
  } catch {
    return '';
  }
}
