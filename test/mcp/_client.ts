/** Types of the official MCP client (a package in the machine's cache), as far as the tests use it. */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { DIST, type Env, type Machine } from '../support/machine.ts';
import { part } from '../support/parts.ts';

export const { path: folder, skip } = part('mcp-client');

export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
}

export interface McpClient {
  connect(transport: object): Promise<void>;
  getServerVersion(): { readonly name: string; readonly version: string };
  getInstructions(): string;
  getNegotiatedProtocolVersion(): string;
  listTools(): Promise<{
    readonly tools: readonly {
      readonly name: string;
      readonly description: string;
      readonly inputSchema: object;
    }[];
  }>;
  callTool(
    call: { readonly name: string; readonly arguments?: object },
    options?: { readonly signal?: AbortSignal },
  ): Promise<ToolResult>;
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

/** `handshake`: 2025 only; `auto`: asks which; `stateless`: 2026 or nothing. */
export type Era = 'handshake' | 'auto' | 'stateless';
const MODES = { handshake: 'legacy', auto: 'auto', stateless: { pin: '2026-07-28' } } as const;

/** Starts our server as a client would and does the handshake; both end with the test. */
export async function connect(
  t: TestContext,
  machine: Machine,
  era: Era = 'auto',
  env: Env = {},
): Promise<McpClient> {
  const { Client } = (await load('dist/index.mjs')) as {
    Client: new (info: object, options: object) => McpClient;
  };
  const { StdioClientTransport } = (await load('dist/stdio.mjs')) as {
    StdioClientTransport: new (options: object) => object;
  };
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: MODES[era] } });
  t.after(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(DIST, 'mcp.cjs')],
      env: { ...machine.env, CLAUDE_PROJECT_DIR: machine.project, ...env },
      cwd: machine.root,
      stderr: 'pipe',
    }),
  );
  return client;
}

function load(file: string): Promise<unknown> {
  const path = join(folder, 'node_modules', '@modelcontextprotocol', 'client', file);
  return import(pathToFileURL(path).href);
}
