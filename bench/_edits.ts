/**
 * Measures recall at tool calls: after a read, before an edit. The client's hook calls a tool of the MCP server that already
 * runs with the session, so this measures the round trip and the CPU time of that server; no process starts.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { MemoryDraft, Places } from '../src/core/index.ts';
import { openClient } from '../src/daemon/index.ts';

export interface EditSummary {
  readonly name: string;
  readonly n: number;
  readonly wallMedian: number;
  readonly wallP95: number;
  /** CPU time of the MCP server, as a mean, because the kernel counts in steps of 10 ms. */
  readonly cpuMean: number;
  /** Answers that were not empty. */
  readonly told: number;
}

const TICK_MS = 10;
const WARM_UP = 5;
/** Rules that forbid something, beside the one that is broken: as many as are looked at. */
const RULES = 200;
const STOPPED_SESSION = 'bench-stop';

export async function measureEdits(
  places: Places,
  program: string,
  cwd: string,
  n: number,
): Promise<EditSummary[]> {
  const draft: MemoryDraft = {
    kind: 'decision',
    title: 'Refresh tokens rotate on every use',
    body: 'Each refresh gives a new token and ends the old one.',
    facts: ['The grace period is 10 s'],
    concepts: [],
    files: ['src/auth.ts'],
  };
  const client = openClient(places, process.env, dirname(program));
  await client.call('remember', { draft, dir: cwd });
  // The reader thread opens the index at the first request, which is usually a session start.
  await client.call('read.brief', { dir: cwd, tokens: 1000 });
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: places.home,
    TIDEMARK_HOME: places.home,
    CLAUDE_PROJECT_DIR: cwd,
  };
  const server = spawn(process.execPath, [program], { env, cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
    let id = 0;
    const ask = async ({
      tool,
      input,
    }: ToolCase): Promise<{ readonly ms: number; readonly told: boolean }> => {
      const began = performance.now();
      // A new session each time, because a memory is injected once per session.
      const given = { session: `bench-${++id}`, call: `call-${id}`, ...input };
      const params = { name: tool, arguments: given };
      server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
      const { value = '' } = await answers.next();
      return { ms: performance.now() - began, told: String(value).includes('additionalContext') };
    };
    const summaries: EditSummary[] = [];
    const stopping = {
      name: `PreToolUse(Bash), recall.stopOnce on, ${RULES} rules`,
      tool: 'before_command',
      input: { command: 'npx prisma migrate dev', cwd, mode: 'default', session: STOPPED_SESSION },
      async prepare() {
        await client.call('settings.set', { key: 'recall.stopOnce', value: true });
        for (let i = 0; i < RULES; i++) {
          const name = createHash('sha256').update(String(i)).digest('hex').slice(0, 12);
          const rule = { ...draft, kind: 'preference', title: `Never run ${name} reset`, files: [] } as const;
          await client.call('remember', { draft: rule, dir: cwd });
        }
        // Nothing is stopped in a session whose prompt is unknown.
        const input = { session_id: STOPPED_SESSION, cwd, prompt: 'Go on.' };
        const hook = join(dirname(program), '..', 'hooks', 'hook.sh');
        execFileSync('sh', [hook, 'UserPromptSubmit'], {
          env,
          input: JSON.stringify({ ...input, hook_event_name: 'UserPromptSubmit' }),
        });
      },
    } as const;
    for (const one of [...casesIn(cwd), stopping]) {
      await one.prepare?.();
      for (let i = 0; i < WARM_UP; i++) await ask(one);
      const before = cpuOf(server.pid);
      const asked = [];
      for (let i = 0; i < n; i++) asked.push(await ask(one));
      const wall = asked.map(({ ms }) => ms).toSorted((a, b) => a - b);
      summaries.push({
        name: one.name,
        n,
        wallMedian: wall[Math.floor(n / 2)] ?? Number.NaN,
        wallP95: wall[Math.floor(n * 0.95)] ?? Number.NaN,
        cpuMean: (cpuOf(server.pid) - before) / n,
        told: asked.filter(({ told }) => told).length,
      });
    }
    return summaries;
  } finally {
    server.stdin.end();
  }
}

interface ToolCase {
  readonly name: string;
  readonly tool: 'after_read' | 'before_command' | 'before_edit';
  readonly input: Readonly<Record<string, string>>;
  readonly prepare?: () => Promise<void>;
}

function casesIn(cwd: string): readonly ToolCase[] {
  mkdirSync(join(cwd, 'src'), { recursive: true });
  for (const file of ['auth.ts', 'other.ts']) writeFileSync(join(cwd, 'src', file), 'export {};\n');
  const known = join(cwd, 'src', 'auth.ts');
  const unknown = join(cwd, 'src', 'other.ts');
  const read = 'after_read' as const;
  const edit = 'before_edit' as const;
  return [
    { name: 'PostToolUse(Read), nothing to say', tool: read, input: { file: unknown } },
    { name: 'PostToolUse(Read), something to say', tool: read, input: { file: known } },
    { name: 'PostToolUse(Bash), prints no file', tool: read, input: { command: 'npm test', cwd } },
    { name: 'PostToolUse(Bash), something to say', tool: read, input: { command: 'cat src/auth.ts', cwd } },
    {
      name: 'PreToolUse(Bash), recall.stopOnce off',
      tool: 'before_command',
      input: { command: 'npm test', cwd, mode: 'default' },
    },
    { name: 'PreToolUse(Edit), nothing to say', tool: edit, input: { file: unknown } },
    { name: 'PreToolUse(Edit), something to say', tool: edit, input: { file: known } },
  ];
}

/** Returns the CPU time of a process in milliseconds; Linux only. */
function cpuOf(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
