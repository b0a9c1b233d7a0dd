/**
 * The MCP server over JSON lines: discovery, handshake, list of tools, cancellable calls. Supports the stateless revision
 * of 2026 and the earlier ones with a handshake; `_meta` of a request tells which. Written by hand because it starts with
 * every session: docs/mcp.md shows what the official SDK costs.
 */
import type { Readable, Writable } from 'node:stream';
import { callFacts, type CallFacts } from '../agents/wire/index.ts';
import { VERSION, plainJson, plainLine, plainText } from '../core/index.ts';
import { checkArguments } from './schema.ts';
import type { Tool } from './tool.ts';

/** Newest first. A client that asks for another version gets the first and decides. */
const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
const STATELESS_VERSIONS = ['2026-07-28'] as const;
const META = 'io.modelcontextprotocol/';
/** A client may cache the list of tools, but not for long: an update of the program changes it. */
const CACHE = { ttlMs: 60 * 60 * 1000, cacheScope: 'private' } as const;
/** A request has a few hundred bytes; a longer line is not a request. */
const LONGEST_LINE = 4 * 1024 * 1024;
const LONGEST_ID = 200;

const CODE = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  unsupportedVersion: -32022,
} as const;

type Id = string | number;
type Params = Readonly<Record<string, unknown>>;

export interface McpOptions {
  readonly tools: readonly Tool[];
  /** Describes the server to the model. */
  readonly instructions: string;
  /** Tools that the client's hooks call; not listed. */
  readonly unlisted?: readonly Tool[];
  /** Runs a tool and returns the text for the model, also for errors. */
  readonly run: (
    tool: Tool,
    args: Params,
    signal: AbortSignal,
    facts: CallFacts,
  ) => Promise<{ readonly text: string; readonly isError: boolean }>;
  readonly input: Readable;
  readonly output: Writable;
}

/** Resolves when the client disconnects; running calls are cancelled. */
export function serveMcp(options: McpOptions): Promise<void> {
  const server = new McpServer(options);
  return new Promise((resolve) => {
    const end = () => {
      server.cancelAll();
      resolve();
    };
    options.input.setEncoding('utf8');
    options.input.on('data', (chunk: string) => server.take(chunk));
    options.input.on('end', end).on('error', end);
    options.output.on('error', end); // the client no longer reads
  });
}

class McpServer {
  readonly #options: McpOptions;
  readonly #running = new Map<Id, AbortController>();
  #rest = '';

  constructor(options: McpOptions) {
    this.#options = options;
  }

  get #about() {
    return { capabilities: { tools: {} }, instructions: this.#options.instructions };
  }

  take(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > LONGEST_LINE) {
      this.#rest = '';
      this.#fail(null, CODE.parse, 'the message is too long');
    }
    for (const line of lines) if (line.trim() !== '') this.#line(line);
  }

  cancelAll(): void {
    for (const cancel of this.#running.values()) cancel.abort();
  }

  #line(line: string): void {
    const message = parseJson(line);
    if (message === undefined) return this.#fail(null, CODE.parse, 'not JSON');
    if (!isObject(message) || message['jsonrpc'] !== '2.0')
      return this.#fail(null, CODE.invalidRequest, 'not a JSON-RPC 2.0 message');
    const { id, method, params } = message;
    if (typeof method !== 'string') {
      // A response to a request that we never sent.
      if ('result' in message || 'error' in message) return;
      return this.#fail(isId(id) ? id : null, CODE.invalidRequest, 'no method');
    }
    const fields = isObject(params) ? params : {};
    if (isId(id)) return this.#request(id, method, fields);
    if (id !== undefined) return this.#fail(null, CODE.invalidRequest, 'the id must be a string or a number');
    if (method === 'notifications/cancelled') this.#cancel(fields['requestId']);
  }

  #request(id: Id, method: string, params: Params): void {
    const version = claimedVersion(params);
    const isStateless = version !== undefined && method !== 'initialize';
    if (isStateless && !(STATELESS_VERSIONS as readonly unknown[]).includes(version)) {
      const data = { supported: STATELESS_VERSIONS, requested: version };
      return this.#fail(id, CODE.unsupportedVersion, `unsupported protocol version ${String(version)}`, data);
    }
    const answer = (result: object, cache = {}): void =>
      this.#send({ id, result: isStateless ? { ...result, ...cache, ...STATELESS_RESULT } : result });
    switch (method) {
      case 'server/discover':
        return answer({ supportedVersions: STATELESS_VERSIONS, ...this.#about }, CACHE);
      case 'initialize':
        return answer({ protocolVersion: negotiated(params), serverInfo: SERVER, ...this.#about });
      case 'ping':
        return answer({});
      case 'tools/list':
        return answer({ tools: this.#options.tools }, CACHE); // JSON omits the functions
      case 'tools/call':
        return this.#call(id, params, answer);
      default:
        return this.#fail(id, CODE.unknownMethod, `there is no method "${method}"`);
    }
  }

  #call(
    id: Id,
    { name, arguments: given = {}, _meta: meta }: Params,
    answer: (result: object) => void,
  ): void {
    const { tools, unlisted = [] } = this.#options;
    const tool = [...tools, ...unlisted].find((candidate) => candidate.name === name);
    if (!tool) {
      const names = tools.map((known) => known.name).join(', ');
      return this.#fail(id, CODE.invalidParams, `there is no tool "${String(name)}"; the tools are ${names}`);
    }
    const say = (given: string, isError: boolean): void => {
      const text = plainText(given);
      answer({ content: text === '' ? [] : [{ type: 'text', text }], ...(isError ? { isError } : {}) });
    };
    const checked = checkArguments(tool.inputSchema, given);
    if (!checked.ok) return say(`${tool.name}: ${checked.problem}.`, true);
    const cancel = new AbortController();
    this.#running.set(id, cancel);
    this.#options
      .run(tool, checked.value, cancel.signal, factsIn(meta))
      .then(
        // A client that cancelled expects no answer.
        ({ text, isError }) => void (cancel.signal.aborted || say(text, isError)),
        (error: unknown) =>
          void (cancel.signal.aborted || this.#fail(id, CODE.internal, (error as Error).message)),
      )
      .finally(() => this.#running.delete(id));
  }

  #cancel(id: unknown): void {
    if (isId(id)) this.#running.get(id)?.abort();
  }

  #fail(id: Id | null, code: number, message: string, data?: object): void {
    this.#send({ id, error: { code, message: plainLine(message), ...(data ? { data } : {}) } });
  }

  #send(message: object): void {
    if (this.#options.output.writable)
      this.#options.output.write(`${plainJson({ jsonrpc: '2.0', ...message })}\n`);
  }
}

const SERVER = { name: 'tidemark', title: 'Tidemark', version: VERSION };
const STATELESS_RESULT = { resultType: 'complete', _meta: { [`${META}serverInfo`]: SERVER } };

/** Reads the facts that a client sends with a call: they identify the turn. */
function factsIn(meta: unknown): CallFacts {
  const facts = callFacts(isObject(meta) ? meta : {});
  const isShort = [facts.session, facts.thread, facts.call].every((id) => id.length <= LONGEST_ID);
  return isShort ? facts : callFacts({});
}

function claimedVersion(params: Params): unknown {
  const meta = params['_meta'];
  return isObject(meta) ? meta[`${META}protocolVersion`] : undefined;
}

function negotiated({ protocolVersion }: Params): string {
  return HANDSHAKE_VERSIONS.find((version) => version === protocolVersion) ?? HANDSHAKE_VERSIONS[0];
}

function isId(id: unknown): id is Id {
  return typeof id === 'string' || typeof id === 'number';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
