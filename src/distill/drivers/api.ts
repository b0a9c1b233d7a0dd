/**
 * The driver for an HTTP API: Anthropic's Messages, or chat completions as OpenAI, OpenRouter, Gemini, Ollama and LM
 * Studio offer them. The key is sent only to that address; redirects are not followed.
 */
import { CHAT, MESSAGES, type Protocol } from './_api-protocols.ts';
import { ended } from './claude.ts';
import {
  failed,
  reasonOfStatus,
  type Driver,
  type DriverAnswer,
  type DriverHealth,
  type DriverRequest,
} from './driver.ts';

export interface ApiOptions {
  readonly url: string;
  readonly model: string;
  /** Local models need none. */
  readonly key: string | undefined;
}

/** Errors of a connection that was open: the request may have arrived. */
const SENT: ReadonlySet<string> = new Set([
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ECONNRESET',
  'EPIPE',
]);
/** No reply of a model is larger. */
const MAX_BYTES = 4 * 1024 * 1024;

export function apiDriver(options: ApiOptions): Driver {
  const { protocol, url } = endpoint(options.url);
  // True once the server has refused a schema.
  let asText = false;
  const send = async (request: DriverRequest, signal: AbortSignal): Promise<DriverAnswer> => {
    const body = protocol.body(request, options.model, asText);
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...protocol.headers(options.key) },
      body: JSON.stringify(body),
      redirect: 'error',
      signal,
    });
    const text = await bounded(response);
    if (!response.ok) {
      if (!asText && response.status === 400 && protocol.refusesSchema.test(text)) {
        asText = true;
        return send(request, signal);
      }
      return failedStatus(response);
    }
    const answer = protocol.read(text, options.model);
    return answer ?? failed('no-answer', 'the response is not a reply of a model');
  };
  return {
    name: 'api',
    model: options.model,
    ask: async (request, signal) => {
      try {
        return await send(request, signal);
      } catch (error) {
        if (signal.aborted) return ended(signal);
        const cause = causeOf(error);
        if (SENT.has(cause))
          return failed('cut-off', `the connection ended before the response did (${cause})`);
        return failed('unreachable', `the address of distill.apiUrl cannot be reached (${cause})`);
      }
    },
    health: () => Promise.resolve(health(options, url)),
    close: async () => {},
  };
}

/** `https://api.anthropic.com` and addresses that end in `/messages` use Messages, all others chat completions. */
export function endpoint(address: string): { readonly protocol: Protocol; readonly url: string } {
  const base = address.replace(/\/+$/, '');
  if (base.endsWith('/messages')) return { protocol: MESSAGES, url: base };
  if (/^https:\/\/[^/]*anthropic\.com(?:\/v1)?$/.test(base)) {
    return { protocol: MESSAGES, url: `${base.replace(/\/v1$/, '')}/v1/messages` };
  }
  return { protocol: CHAT, url: base.endsWith('/chat/completions') ? base : `${base}/chat/completions` };
}

async function bounded(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    parts.push(part as Uint8Array);
    size += (part as Uint8Array).length;
    if (size > MAX_BYTES) break;
  }
  return Buffer.concat(parts).toString('utf8');
}

function failedStatus(response: Response): DriverAnswer {
  const after = retryAfterMs(response.headers.get('retry-after'), Date.now());
  return failed(
    reasonOfStatus(response.status),
    `the API answered ${response.status}`,
    after === undefined ? {} : { retryAfterMs: after },
  );
}

/** Seconds, or a date. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}

function health({ url: given, key, model }: ApiOptions, url: string): DriverHealth {
  if (given === '') {
    return {
      works: false,
      evidence: 'no API address is set',
      next: 'tidemark config set distill.apiUrl <address>',
    };
  }
  if (model === '') {
    return {
      works: false,
      evidence: 'no model is set',
      next: 'tidemark config set distill.model api=<model>',
    };
  }
  if (!isOnThisMachine(url) && key === undefined) {
    return {
      works: false,
      evidence: `no key for ${new URL(url).host}`,
      next: 'Put it in ~/.tidemark/api-key (chmod 600) or in TIDEMARK_API_KEY.',
    };
  }
  return { works: true, evidence: `${model} at ${new URL(url).host}` };
}

/** Whether a model runs here, so that it costs nothing and needs no key. */
export function isOnThisMachine(address: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(URL.parse(address)?.hostname ?? '');
}

/** The error code, never a message, which may quote an address with a secret. */
function causeOf(error: unknown): string {
  const { code, name } = ((error as { cause?: unknown }).cause ?? error) as { code?: string; name?: string };
  return code ?? name ?? 'no connection';
}
