/** A session: one conversation of an agent. It ends with a summary of eight fields. */
import type { Agent } from './turn.ts';

export type SessionStatus = 'active' | 'completed' | 'interrupted' | 'failed';

export const SUMMARY_FIELDS = [
  'request',
  'investigated',
  'learned',
  'completed',
  'next_steps',
  'files_read',
  'files_edited',
  'notes',
] as const;

export type SummaryField = (typeof SUMMARY_FIELDS)[number];

export type SessionSummary = Readonly<Record<SummaryField, string>>;

export interface Session {
  readonly id: string;
  readonly agent: Agent;
  readonly project: string;
  readonly startedAt: string;
  readonly lastAt: string;
  readonly endedAt?: string;
  readonly status: SessionStatus;
  /** How it last began, in the client's words: startup, resume, fork, clear, compact. */
  readonly source?: string;
  /** Why it ended, in the client's words. */
  readonly reason?: string;
  readonly title?: string;
  readonly turns: number;
  readonly branch?: string;
  readonly worktree?: string;
  readonly transcript?: string;
  readonly summary?: SessionSummary;
}
