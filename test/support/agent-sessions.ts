/** Puts the recorded sessions of all agents into a home, as if they had run in one project. */
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Agent } from '../../src/core/index.ts';
import { OpenCodeDatabase, readExport } from './opencode-database.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'agents');
/** The folders in which they were recorded. */
const RECORDED_IN = /\/tmp\/w\/app|\/home\/dev\/app|\/w\/app/g;

const HOUR_MS = 60 * 60 * 1000;

/** Where a client keeps its sessions below a home. */
const PLACES: readonly {
  readonly agent: Agent;
  readonly from: string;
  readonly to: string;
  /** The file names that the client gives them. */
  readonly named?: (name: string) => string;
}[] = [
  {
    agent: 'codex',
    from: 'codex/transcripts',
    to: '.codex/sessions/2026/11/16',
    named: (name) => `rollout-2026-11-16T04-00-00-${name}`,
  },
  {
    agent: 'copilot',
    from: 'copilot',
    to: '.copilot/session-state',
    named: (name) => join(basename(name, '.jsonl'), 'events.jsonl'),
  },
  { agent: 'qwen', from: 'qwen', to: '.qwen/projects/-app/chats' },
  { agent: 'pi', from: 'pi', to: '.pi/agent/sessions/--app--' },
  { agent: 'gemini', from: 'gemini', to: '.gemini' },
  { agent: 'cline', from: 'cline', to: '.cline/data/sessions' },
];

/** Adds the recorded sessions of OpenCode, which are in a database. */
export function addOpenCodeSessions(home: string, project: string): void {
  const folder = join(home, '.local/share/opencode');
  mkdirSync(folder, { recursive: true });
  const database = new OpenCodeDatabase(join(folder, 'opencode.db'));
  for (const name of ['main', 'compaction', 'subagent-parent', 'subagent-child'])
    database.add(readExport(name));
  database.sql.prepare('UPDATE session SET directory = ?').run(project);
  database.close();
}

/** Adds a finished session of Cline with one turn. */
export function addClineSession(home: string, project: string, id: string, prompt: string): void {
  const folder = join(home, '.cline/data/sessions', id);
  mkdirSync(folder, { recursive: true });
  const ts = Date.now() - HOUR_MS;
  const messages = [
    { id: `${id}-prompt`, role: 'user', content: `<user_input mode="act">${prompt}</user_input>`, ts },
    { id: `${id}-answer`, role: 'assistant', content: 'Noted.', ts: ts + 1000 },
  ];
  writeFileSync(join(folder, `${id}.json`), JSON.stringify({ session_id: id, cwd: project }));
  const path = join(folder, `${id}.messages.json`);
  writeFileSync(path, JSON.stringify({ sessionId: id, messages }));
  utimesSync(path, new Date(ts), new Date(ts));
}

/** Returns the agents whose sessions there are. They ended an hour ago. */
export function placeSessions(home: string, project: string): readonly Agent[] {
  const ended = new Date(Date.now() - HOUR_MS);
  for (const { from, to, named = (name: string) => name } of PLACES) {
    for (const file of filesIn(join(FIXTURES, from))) {
      const target = join(home, to, named(file));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(
        target,
        readFileSync(join(FIXTURES, from, file), 'utf8').replaceAll(RECORDED_IN, project),
      );
      utimesSync(target, ended, ended);
    }
  }
  return PLACES.map(({ agent }) => agent);
}

function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== 'expected.json')
    .filter(({ parentPath }) => basename(parentPath) !== 'hooks')
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
