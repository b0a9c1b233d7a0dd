/**
 * Reads the plans that PostgreSQL logged (auto_explain): the tables that a statement scanned, how, and how many rows and
 * pages it read. Partitions count as their table.
 */
import fs from 'node:fs';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

export interface Statement {
  readonly text: string;
  readonly plan: PlanNode;
}

export interface Scan {
  readonly how: string;
  /** Without the number of a partition. */
  readonly table: string;
  readonly index: string;
  /** Rows of all loops, with those that a filter removed. */
  readonly rows: number;
}

/** The settings with which PostgreSQL logs the plan of every statement, also of those in functions. */
export const EXPLAINING: Readonly<Record<string, string>> = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_format': 'json',
};

const LOGGED = /LOG: {2}duration: [\d.]+ ms {2}plan:\n((?:\t.*\n)+)/g;

/** Follows a log: `read` returns the statements since the last call. A plan is logged before its statement is answered. */
export function planLog(file: string): { read(): readonly Statement[] } {
  let offset = fs.statSync(file).size;
  return {
    read: () => {
      const size = fs.statSync(file).size;
      const added = Buffer.alloc(size - offset);
      const handle = fs.openSync(file, 'r');
      fs.readSync(handle, added, 0, added.length, offset);
      fs.closeSync(handle);
      offset = size;
      return [...added.toString('utf8').matchAll(LOGGED)].map(([, json = '']) => {
        const { 'Query Text': text, Plan: plan } = JSON.parse(json.replaceAll(/^\t/gm, '')) as {
          'Query Text': string;
          Plan: PlanNode;
        };
        return { text: text.replaceAll(/\s+/g, ' '), plan };
      });
    },
  };
}

export function scansOf({ plan }: Statement): readonly Scan[] {
  return nodesOf(plan).flatMap((node) => {
    const table = node['Relation Name'];
    const loops = node['Actual Loops'] ?? 0;
    // A scan of an index for a bitmap names only the index; its rows are those of the table's scan.
    if (table === undefined || loops === 0 || node['Node Type'] === 'ModifyTable') return [];
    const each =
      (node['Actual Rows'] ?? 0) +
      (node['Rows Removed by Filter'] ?? 0) +
      (node['Rows Removed by Index Recheck'] ?? 0);
    return [
      { how: node['Node Type'], table: tableOf(table), index: node['Index Name'] ?? '', rows: each * loops },
    ];
  });
}

/** Pages of the cache and of the disk, with those of the functions that the statement called. */
export function pagesOf({ plan }: Statement): number {
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}

/** Returns the tables of which one plan read several partitions. */
export function severalPartitions({ plan }: Statement): readonly string[] {
  const read = nodesOf(plan)
    .filter((node) => (node['Actual Loops'] ?? 0) > 0 && node['Node Type'] !== 'ModifyTable')
    .flatMap((node) => node['Relation Name'] ?? []);
  const byTable = Map.groupBy(new Set(read), tableOf);
  return [...byTable].filter(([, partitions]) => partitions.length > 1).map(([table]) => table);
}

/** `memory_p07` → `memory` */
function tableOf(relation: string): string {
  return relation.replace(/_p\d+$/, '');
}

function nodesOf(plan: PlanNode): readonly PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
