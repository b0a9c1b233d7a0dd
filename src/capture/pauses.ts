/** Tracks when capture was paused. What was said during a pause is never stored, not even by a later import. */
import type { MemoryIndex } from '../database/index.ts';
import type { LedgerRecord } from '../storage/ledger/index.ts';

export interface PauseScope {
  readonly project: string;
  readonly session: string;
}

type PauseRecord = Extract<LedgerRecord, { kind: 'paused' }>;

interface Span {
  readonly scope: 'everywhere' | 'project' | 'session';
  readonly of?: string;
  readonly from: string;
  readonly until?: string;
}

export class Pauses {
  #spans: Span[] = [];

  /** Applies a record of the ledger. Records of one scope must come in order of time. */
  add(record: PauseRecord): void {
    const same = (span: Span) =>
      span.scope === record.scope && span.of === record.target && span.until === undefined;
    if (record.paused) {
      if (this.#spans.some(same)) return;
      this.#spans.push({
        scope: record.scope,
        from: record.at,
        ...(record.target ? { of: record.target } : {}),
      });
      return;
    }
    this.#spans = this.#spans.map((span) => (same(span) ? { ...span, until: record.at } : span));
  }

  covers(at: string, scope: PauseScope): boolean {
    return this.#spans.some(
      (span) => applies(span, scope) && span.from <= at && (span.until === undefined || at < span.until),
    );
  }

  /** The pauses in force now. */
  current(): readonly Span[] {
    return this.#spans.filter((span) => span.until === undefined);
  }
}

/** Whether capture is paused now, read from the index. */
export function isPaused(index: MemoryIndex, { project, session }: PauseScope): boolean {
  const scopes = [pauseKey('everywhere'), pauseKey('project', project), pauseKey('session', session)];
  return scopes.some((key) => (index.meta(key) ?? '') !== '');
}

/** All pauses in force, read from the index. */
export function pausesIn(
  index: MemoryIndex,
): readonly { readonly scope: Span['scope']; readonly of?: string }[] {
  return [...index.metaWith('paused:')].flatMap(([key, since]) => {
    const [, scope, ...target] = key.split(':');
    if (since === '') return [];
    const of = target.join(':');
    return [{ scope: scope as Span['scope'], ...(of === '' ? {} : { of }) }]; // made by pauseKey
  });
}

export function applyPause(index: MemoryIndex, record: PauseRecord): void {
  index.setMeta(pauseKey(record.scope, record.target), record.paused ? record.at : '');
}

function pauseKey(scope: Span['scope'], target = ''): string {
  return `paused:${scope}:${target}`;
}

function applies(span: Span, scope: PauseScope): boolean {
  switch (span.scope) {
    case 'everywhere':
      return true;
    case 'project':
      return span.of === scope.project;
    case 'session':
      return span.of === scope.session;
  }
}
