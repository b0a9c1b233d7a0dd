/** The kinds of memory: name, icon, colour (in styles/base.css). */
import type { MemoryKind, MemoryState } from '../../src/core/index.ts';

/** Icons are drawn in a square of 16. */
const KINDS: Readonly<
  Record<MemoryKind, { readonly name: string; readonly one: string; readonly draw: string }>
> = {
  decision: {
    name: 'Decisions',
    one: 'Decision',
    draw: 'M8 14V8.5M8 8.5 3.5 4M8 8.5 12.5 4M3.5 7V4h3M9.5 4h3v3',
  },
  bugfix: {
    name: 'Fixes',
    one: 'Fix',
    draw: 'M5.2 6.5a2.8 2.8 0 0 1 5.6 0v3.7a2.8 2.8 0 0 1-5.6 0zM6 4 4.6 2.4M10 4l1.4-1.6M5 8.3H2.2M13.8 8.3H11M5.2 6 2.9 4.9M10.8 6l2.3-1.1M5.3 11l-2.2 1.5M10.7 11l2.2 1.5',
  },
  feature: {
    name: 'Features',
    one: 'Feature',
    draw: 'M8 2.2l1.5 4.3L13.8 8l-4.3 1.5L8 13.8 6.5 9.5 2.2 8l4.3-1.5z',
  },
  refactor: {
    name: 'Refactors',
    one: 'Refactor',
    draw: 'M13 7A5.2 5.2 0 0 0 3.6 5.1M3 2.6v2.9h2.9M3 9a5.2 5.2 0 0 0 9.4 1.9M13 13.4v-2.9h-2.9',
  },
  discovery: {
    name: 'Discoveries',
    one: 'Discovery',
    draw: 'M6 12.2h4M6.8 14h2.4M5.9 10.4A4.2 4.2 0 1 1 10.1 10.4Q10 11 10 12.2H6q0-1.2-.1-1.8z',
  },
  pattern: {
    name: 'Patterns',
    one: 'Pattern',
    draw: 'M2.8 2.8h4v4h-4zM9.2 2.8h4v4h-4zM2.8 9.2h4v4h-4zM9.2 9.2h4v4h-4z',
  },
  issue: {
    name: 'Issues',
    one: 'Issue',
    draw: 'M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2zM8 5v3.6M8 11v.1',
  },
  preference: {
    name: 'Preferences',
    one: 'Preference',
    draw: 'M8 13.2S2.4 10 2.4 6.2A2.9 2.9 0 0 1 8 5a2.9 2.9 0 0 1 5.6 1.2C13.6 10 8 13.2 8 13.2z',
  },
  dead_end: {
    name: 'Dead ends',
    one: 'Dead end',
    draw: 'M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2zM4 4l8 8',
  },
};

// The type of the table says that its keys are the kinds.
export const ALL_KINDS = Object.keys(KINDS) as readonly MemoryKind[];

/** The icon and the name of a kind: an icon alone is a riddle. */
export function Kind({ kind }: { readonly kind: MemoryKind }) {
  return (
    <span class="kind">
      <KindMark kind={kind} />
      <span class="kind-name">{kindName(kind)}</span>
    </span>
  );
}

/** The icon alone, for places that write the name themselves. */
export function KindMark({ kind }: { readonly kind: MemoryKind }) {
  return (
    <span class={`mark kind-${kind}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={KINDS[kind]?.draw ?? ''} />
      </svg>
    </span>
  );
}

export function kindName(kind: MemoryKind): string {
  return KINDS[kind]?.one ?? kind;
}

export function kindsName(kind: string): string {
  return KINDS[kind as MemoryKind]?.name ?? kind;
}

/** `current` is the normal state and has no badge. */
export function StateBadge({ state }: { readonly state: MemoryState }) {
  return state === 'current' ? null : <span class={`badge state-${state}`}>{state}</span>;
}
