/** Returns what is stored, as `tidemark export --turns` prints it. Tests of promises read this instead of the files of a store. */
import type { Memory, StoredTurn } from '../../src/core/index.ts';
import type { ExportRecord } from '../../src/exchange/export/index.ts';
import type { Machine } from './machine.ts';

type Row<R extends ExportRecord['record']> = Extract<ExportRecord, { readonly record: R }>;

export interface Stored {
  /** The export as it was printed. */
  readonly text: string;
  readonly memories: readonly Memory[];
  readonly turns: readonly StoredTurn[];
  readonly sessions: readonly Row<'session'>[];
  readonly forgotten: readonly Row<'forgotten'>[];
}

/** Starts a daemon if none runs. */
export async function stored(machine: Machine): Promise<Stored> {
  const { code, stdout: text, stderr } = await machine.ask('export', '--turns');
  if (code !== 0) throw new Error(`tidemark export: ${code}\n${stderr}`);
  const rows = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ExportRecord);
  const of = <R extends ExportRecord['record']>(name: R) =>
    rows.filter((row): row is Row<R> => row.record === name);
  return {
    text,
    memories: of('memory').map(({ memory }) => memory as Memory),
    turns: of('turn').map(({ turn }) => turn as unknown as StoredTurn),
    sessions: of('session'),
    forgotten: of('forgotten'),
  };
}

export async function memoriesOf(machine: Machine): Promise<readonly Memory[]> {
  return (await stored(machine)).memories;
}

/** Memories whose title contains a text. */
export async function titled(machine: Machine, text: string): Promise<readonly Memory[]> {
  return (await memoriesOf(machine)).filter(({ title }) => title.includes(text));
}
