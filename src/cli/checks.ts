/** What `doctor` looks at: each check gives a verdict, the evidence, and the next step where something is wrong. */
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../config/index.ts';
import type { DaemonStatus, DistillHealth, Health, MeaningHealth } from '../daemon/index.ts';
import { claudeConfigDir } from '../install/index.ts';
import { HOOK_NAMES, type Places } from '../model/index.ts';
import { age } from '../recall/index.ts';
import { dollars } from './verbs/cost.ts';
import type { Context } from './verb.ts';

export type Verdict = 'well' | 'note' | 'wrong';

export interface Check {
  readonly name: string;
  readonly verdict: Verdict;
  readonly evidence: string;
  readonly next?: string;
}

/** Below this a day's work may not fit any more. */
const LITTLE_DISK_MB = 200;

export async function runChecks(context: Context): Promise<readonly Check[]> {
  const { places, env, cwd, client } = context;
  const checks: Check[] = [
    node(),
    folder(places),
    disk(places),
    program(places),
    plugin(env),
    ...settings(places, env, cwd),
  ];
  const up = await client.isUp();
  if (!up) {
    return [
      ...checks,
      {
        name: 'daemon',
        verdict: 'note',
        evidence: 'not running',
        next: 'It starts with the next session, or with: tidemark start',
      },
      heard(places),
    ];
  }
  const status = await client.call<DaemonStatus>('status');
  const health = await client.call<Health>('read.health');
  const meaning = await client.call<MeaningHealth>('embed.health');
  const distilling = await client.call<DistillHealth>('distill.health');
  return [
    ...checks,
    daemon(status),
    socket(status),
    heard(places),
    spool(status),
    journal(health),
    index(health),
    embedder(meaning),
    redactions(health),
    distiller(distilling),
  ];
}

function node(): Check {
  return { name: 'node', verdict: 'well', evidence: process.version };
}

function folder(places: Places): Check {
  const stat = statSync(places.home, { throwIfNoEntry: false });
  if (!stat) return { name: 'data folder', verdict: 'note', evidence: `${places.home} is not there yet` };
  try {
    accessSync(places.home, constants.W_OK);
  } catch {
    return {
      name: 'data folder',
      verdict: 'wrong',
      evidence: `${places.home} cannot be written`,
      next: 'Give it back to your user: chown and chmod 700.',
    };
  }
  const open = process.platform !== 'win32' && (stat.mode & 0o077) !== 0;
  if (open)
    return {
      name: 'data folder',
      verdict: 'wrong',
      evidence: 'others can read it',
      next: `chmod 700 ${places.home}`,
    };
  return { name: 'data folder', verdict: 'well', evidence: places.home };
}

function disk(places: Places): Check {
  const at = existsSync(places.home) ? places.home : process.cwd();
  const { bavail, bsize } = statfsSync(at);
  const mb = Math.round((bavail * bsize) / 1024 / 1024);
  if (mb >= LITTLE_DISK_MB) return { name: 'disk', verdict: 'well', evidence: `${mb} MB free` };
  return {
    name: 'disk',
    verdict: 'wrong',
    evidence: `only ${mb} MB free`,
    next: 'Make room: events cannot be kept on a full disk.',
  };
}

function program(places: Places): Check {
  const recorded = firstLine(places.node);
  if (recorded === undefined) {
    return {
      name: 'recorded node',
      verdict: 'note',
      evidence: 'none',
      next: 'Hooks look for node on the PATH; record one with: tidemark start',
    };
  }
  if (existsSync(recorded)) return { name: 'recorded node', verdict: 'well', evidence: recorded };
  return {
    name: 'recorded node',
    verdict: 'wrong',
    evidence: `${recorded} is gone`,
    next: 'Record another with: tidemark start',
  };
}

function plugin(env: NodeJS.ProcessEnv): Check {
  const path = join(claudeConfigDir(env), 'settings.json');
  const settingsText = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (/"tidemark@[^"]*"\s*:\s*true/.test(settingsText))
    return { name: 'plugin', verdict: 'well', evidence: 'installed and enabled' };
  const off = /"tidemark@[^"]*"\s*:\s*false/.test(settingsText);
  return off
    ? {
        name: 'plugin',
        verdict: 'wrong',
        evidence: 'installed, but switched off',
        next: 'claude plugin enable tidemark@tidemark',
      }
    : { name: 'plugin', verdict: 'note', evidence: 'not installed for this user', next: 'tidemark install' };
}

function settings(places: Places, env: NodeJS.ProcessEnv, cwd: string): readonly Check[] {
  const { problems } = loadConfig({ places, env, projectDir: cwd });
  if (problems.length === 0) return [{ name: 'settings', verdict: 'well', evidence: 'all understood' }];
  return problems.map(({ where, reason, hint }) => ({
    name: 'settings',
    verdict: 'wrong',
    evidence: `${where}: ${reason}`,
    next: hint,
  }));
}

function daemon(status: DaemonStatus): Check {
  const evidence = `${status.version}, pid ${status.pid}, ${status.rssMb} MB, since ${age(status.startedAt, new Date())}`;
  return { name: 'daemon', verdict: 'well', evidence };
}

function socket(status: DaemonStatus): Check {
  const stat = statSync(status.socket, { throwIfNoEntry: false });
  const shut = stat !== undefined && (process.platform === 'win32' || (stat.mode & 0o077) === 0);
  return shut
    ? { name: 'socket', verdict: 'well', evidence: `${status.socket}, for its owner only` }
    : {
        name: 'socket',
        verdict: 'wrong',
        evidence: 'others may open it',
        next: 'tidemark stop, then tidemark start',
      };
}

/** "Ran and found nothing" is not "dead": the time each hook was last heard tells them apart. */
function heard(places: Places): Check {
  const times = readJson(join(places.run, 'heard.json'));
  const lines = HOOK_NAMES.map((name) => {
    const at = times[name];
    return `${name} ${typeof at === 'string' ? age(at, new Date()) : 'never'}`;
  });
  const never = Object.keys(times).length === 0;
  return {
    name: 'hooks heard',
    verdict: never ? 'note' : 'well',
    evidence: lines.join(', '),
    ...(never ? { next: 'Start a Claude Code session with the plugin installed.' } : {}),
  };
}

function spool({ spool: { depth }, setAside }: DaemonStatus): Check {
  const evidence = `${depth} waiting, ${setAside.length} set aside`;
  const last = setAside.at(-1);
  if (!last) return { name: 'spool', verdict: 'well', evidence };
  return {
    name: 'spool',
    verdict: 'wrong',
    evidence: `${evidence}: ${last.reason} (${last.id})`,
    next: 'The events are kept in spool/poison; tidemark logs tells more.',
  };
}

function journal({ journalProblems }: Health): Check {
  const [first] = journalProblems;
  if (!first) return { name: 'journal', verdict: 'well', evidence: 'every entry reads well' };
  const more = journalProblems.length > 1 ? ` and ${journalProblems.length - 1} more` : '';
  return {
    name: 'journal',
    verdict: 'wrong',
    evidence: `${first.file}:${first.line}: ${first.reason}${more}`,
    next: 'Open the file at that line; nothing was lost.',
  };
}

function index({ indexProblems, memories, turns, rebuilt }: Health): Check {
  const [first] = indexProblems;
  const anew = rebuilt ? `; built anew ${age(rebuilt.at, new Date())}: ${rebuilt.why}` : '';
  if (!first)
    return { name: 'index', verdict: 'well', evidence: `${memories} memories, ${turns} turns${anew}` };
  return { name: 'index', verdict: 'wrong', evidence: first, next: 'tidemark reindex' };
}

function embedder({ embedder: name, why, next, counts, working, trouble }: MeaningHealth): Check {
  const have = counts.memory.have + counts.turn.have;
  const wanted = counts.memory.wanted + counts.turn.wanted;
  if (name === null)
    return {
      name: 'embedder',
      verdict: 'note',
      evidence: `none, memories are found by their words alone: ${why}`,
      ...(next ? { next } : {}),
    };
  const progress =
    wanted > 0 ? `${have} of ${have + wanted} vectors${working ? ', at work' : ''}` : `${have} vectors`;
  if (trouble !== undefined)
    return {
      name: 'embedder',
      verdict: 'wrong',
      evidence: `${name}, ${progress}: ${trouble}`,
      next: 'Words alone serve meanwhile. Choose another with: tidemark model use',
    };
  return { name: 'embedder', verdict: 'well', evidence: `${name}, ${progress}` };
}

function distiller(health: DistillHealth): Check {
  const name = 'distiller';
  const { driver, model, evidence, next, today, expected } = health;
  if (health.wanted === 'local') return { name, verdict: 'well', evidence: 'local, as set' };
  if (!health.consent) {
    const cost = `about ${Math.round(expected.turnsPerDay)} turns and ${dollars(expected.usdPerDay)} a day`;
    return {
      name,
      verdict: 'well',
      evidence: `local; a model would write better memories, at ${cost}`,
      next: 'If you want that: tidemark config set distill.consent true',
    };
  }
  if (driver === 'local')
    return {
      name,
      verdict: 'wrong',
      evidence: `local, because no model can be asked: ${evidence}`,
      ...(next ? { next } : {}),
    };
  const spent = `${dollars(today.usd)} today${health.ceiling ? ', ceiling reached' : ''}`;
  const failed = Object.entries(health.passed).map(([reason, n]) => `${reason} ${n}`);
  const facts = `${driver} (${model}), ${evidence}; ${health.waiting} turns waiting, ${spent}`;
  if (failed.length === 0) return { name, verdict: 'well', evidence: facts };
  return {
    name,
    verdict: 'note',
    evidence: `${facts}; left to local in the last week: ${failed.join(', ')}`,
    next: health.passed['refused']
      ? 'The model refused us: log in with Claude Code itself (a daemon started by a hook gets none of your keys), or use distill.driver api with a key of its own.'
      : 'Try those again with: tidemark distill',
  };
}

function redactions({ redacted }: Health): Check {
  const counts = Object.entries(redacted).toSorted(([, a], [, b]) => b - a);
  const evidence =
    counts.length > 0 ? counts.map(([type, n]) => `${type} ${n}`).join(', ') : 'none needed so far';
  return { name: 'secrets kept out', verdict: 'well', evidence };
}

function firstLine(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n')[0] : undefined;
}

function readJson(path: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
