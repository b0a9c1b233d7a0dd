/** Client of the team server: one method per route. Checks every answer and sends the key to no other address. */
import * as v from 'valibot';
import { TidemarkError, VERSION } from '../../core/index.ts';
import { unreachable } from './_unreachable.ts';
import { latestClock } from './clocks.ts';
import { PulledFrame, PushedAnswer, readPage, type PulledPage } from './received.ts';
import { HubLink, TeamSettings } from './wire-team.ts';
import {
  Me,
  MOST_WAITED,
  ProjectPage,
  SharedProject,
  Waited,
  WireError,
  type Change,
  type NewProject,
} from './wire.ts';

const TIMEOUT_MS = 30_000;
/** Longer than a server waits before it answers that nothing changed. */
const WAIT_TIMEOUT_MS = 75_000;
/** Changes per page. */
const PAGE = 500;

interface ServerOptions {
  readonly server: string;
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Codes: `team.away` (try again later), `team.busy`, `team.key`, `team.refused`, `team.too-big`, `team.bad`, `team.gone`. */
export class TeamServer {
  readonly #options: ServerOptions;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  me(): Promise<Me> {
    return this.#ask('GET', '/v1/me', Me);
  }

  async projects(): Promise<readonly SharedProject[]> {
    const found: SharedProject[] = [];
    let cursor: string | null = '';
    do {
      const page: ProjectPage = await this.#ask(
        'GET',
        `/v1/projects${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''}`,
        ProjectPage,
      );
      found.push(...page.projects);
      cursor = page.cursor;
    } while (cursor);
    return found;
  }

  makeProject(project: NewProject): Promise<SharedProject> {
    return this.#ask('POST', '/v1/projects', SharedProject, project);
  }

  push(remote: string, changes: readonly Change[], idempotencyKey: string): Promise<PushedAnswer> {
    return this.#ask('POST', `/v1/projects/${encodeURIComponent(remote)}/changes`, PushedAnswer, {
      changes,
      idempotencyKey,
    });
  }

  async pull(remote: string, after: number, limit = PAGE): Promise<PulledPage> {
    const path = `/v1/projects/${encodeURIComponent(remote)}/changes?after=${after}&limit=${limit}`;
    const { answer, at } = await this.#answer('GET', path, PulledFrame);
    const page = readPage(answer, after);
    // An older server does not send the highest clock it accepts, but it sends the time.
    return page.latest !== undefined || Number.isNaN(at) ? page : { ...page, latest: latestClock(at) };
  }

  /** Returns what the team makes stricter on this machine. Undefined if it cannot be read: an older server has none. */
  async settings(): Promise<Readonly<Record<string, unknown>> | undefined> {
    try {
      return (await this.#ask('GET', '/v1/team/settings', TeamSettings)).settings;
    } catch (error) {
      if (error instanceof TidemarkError) return undefined;
      throw error;
    }
  }

  /**
   * Resolves when one of the projects has a change after its number, or after a minute at most. Undefined: the server is
   * of an earlier release and cannot wait.
   */
  async wait(
    projects: readonly { readonly id: string; readonly after: number }[],
    signal: AbortSignal,
  ): Promise<Waited | undefined> {
    const body = { projects: projects.slice(0, MOST_WAITED).map(({ id, after }) => ({ id, after })) };
    const limits = { signal, timeoutMs: WAIT_TIMEOUT_MS };
    try {
      return (await this.#answer('POST', '/v1/changes/wait', Waited, body, limits)).answer;
    } catch (error) {
      // 404, and 405 or an answer of another kind.
      if (error instanceof TidemarkError && ['team.gone', 'team.bad'].includes(error.code)) return undefined;
      throw error;
    }
  }

  /** Returns the address of the team's hub with a key that admits one browser, once. */
  async hubLink(): Promise<string> {
    const { key } = await this.#ask('POST', '/v1/hub/links', HubLink);
    return `${this.#options.server}/hub/enter?key=${encodeURIComponent(key)}`;
  }

  /** Removes all of the user's entries from a project of the team. */
  async withdrawAll(remote: string): Promise<void> {
    await this.#ask('DELETE', `/v1/projects/${encodeURIComponent(remote)}/entries?mine=true`, v.unknown());
  }

  async #ask<T>(
    method: string,
    path: string,
    schema: v.GenericSchema<unknown, T>,
    body?: unknown,
  ): Promise<T> {
    return (await this.#answer(method, path, schema, body)).answer;
  }

  /** `at`: the server's time in milliseconds, NaN if it does not send it. */
  async #answer<T>(
    method: string,
    path: string,
    schema: v.GenericSchema<unknown, T>,
    body?: unknown,
    limits: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {},
  ): Promise<{ readonly answer: T; readonly at: number }> {
    const { server, key, signal } = this.#options;
    const ends = [signal, AbortSignal.timeout(limits.timeoutMs ?? TIMEOUT_MS), limits.signal];
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${server}${path}`, {
        method,
        redirect: 'error', // the key is for this address only
        headers: {
          authorization: `Bearer ${key}`,
          'user-agent': `tidemark/${VERSION}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.any(ends.filter((end) => end !== undefined)),
      });
      text = await response.text();
    } catch (cause) {
      throw unreachable(server, cause, NOTHING_LOST);
    }
    const json = parseJson(text);
    if (!response.ok) throw refusal(server, response, json);
    const parsed = v.safeParse(schema, json);
    if (parsed.success) return { answer: parsed.output, at: Date.parse(response.headers.get('date') ?? '') };
    const what = `${method} ${path.split('?')[0]}`;
    throw new TidemarkError('team.bad', `${server} gives an answer to ${what} that cannot be read`, {
      hint: 'Check that it is a Tidemark server of this version.',
    });
  }
}

/** A server that is busy, with the time after which to try again. */
class TeamBusy extends TidemarkError {
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number) {
    super('team.busy', message, { hint: 'Nothing is lost. It is retried automatically.' });
    this.retryAfterMs = retryAfterMs;
  }
}

const NOTHING_LOST = 'Nothing is lost: your changes are sent later, and everything on this machine works.';

/** Hints for answers without one, which come from a proxy in front of the server. */
const HINTS: Readonly<Record<number, string>> = {
  400: 'This program and the server may have different versions: compare tidemark --version on both.',
  403: 'Ask an owner of the team, or see what your key may do: tidemark team',
  404: 'Check that the address is still that of the team server. If it moved: tidemark login <url>',
  413: 'A proxy in front of the server limits the request size: its operator has to raise the limit to 6 MB (docs/server.md).',
};

function refusal(server: string, { status, headers }: Response, json: unknown): TidemarkError {
  const parsed = v.safeParse(WireError, json);
  const { message = `${server} answers ${status}`, hint = HINTS[status] } = parsed.success
    ? parsed.output.error
    : {};
  const details = hint === undefined ? {} : { hint };
  if (status === 401)
    return new TidemarkError('team.key', `the server does not accept the key: ${message}`, {
      hint: `Ask an owner of the team for a new one, then: tidemark login ${server}`,
    });
  if (status === 403) return new TidemarkError('team.refused', message, details);
  if (status === 404) return new TidemarkError('team.gone', message, details);
  if (status === 413) return new TidemarkError('team.too-big', message, details);
  if (status === 429 || status === 503)
    return new TeamBusy(message, Math.max(0, Number(headers.get('retry-after')) || 0) * 1000);
  if (status >= 500)
    return new TidemarkError('team.away', message, { hint: parsed.success && hint ? hint : NOTHING_LOST });
  return new TidemarkError('team.bad', message, details);
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}
