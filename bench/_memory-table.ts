/** Prints the figures of `bench:memory` as a table, and the cases behind them. Pure. */
import type { ProjectRun } from './memory-run.ts';
import {
  total,
  type Entry,
  type Label,
  type Measure,
  type ProjectScore,
  type ScoreInput,
} from './memory-score.ts';

export interface Result {
  readonly name: string;
  readonly run: ProjectRun;
  readonly input: ScoreInput;
  readonly score: ProjectScore;
}

/** Returns one row per measure: the number, what it is a part of, and the share. */
export function table(results: readonly Result[]): string {
  const sum = total(results);
  const live = sum.noise.of;
  const brief = results.map(({ run }) => run.briefTokens).toSorted((a, b) => a - b);
  const rows: readonly (readonly [string, string, string])[] = [
    row('in force at the end, remembered', sum.inForce),
    row('  and counting entries that state two labels', {
      count: sum.inForce.count + sum.saidElsewhere.count,
      of: sum.inForce.of,
    }),
    row('open issues right', sum.openRight),
    row('ended, presented as current', sum.endedAsCurrent),
    row('noise among live entries', sum.noise),
    row('  of it: presents something ended', sum.noiseEnded),
    row('  of it: open issue about something fixed in that turn', sum.fixedListedOpen),
    row('kind right', sum.kindRight),
    row('title carries the point (half of the words)', sum.titleCarries),
    ['title words found (mean)', '', sum.titleShare.toFixed(2)],
    row('false statements made', sum.falseStatements),
    ['tokens of the brief', `mean ${mean(brief)}, most ${brief.at(-1) ?? 0}`, ''],
  ];
  const head = `${results.length} projects, ${results.reduce((all, { input }) => all + input.turns.length, 0)} turns, ${results.reduce((all, { input }) => all + input.labels.length, 0)} labels, ${live} live entries`;
  const width = Math.max(...rows.map(([name]) => name.length));
  const middle = Math.max(...rows.map(([, count]) => count.length));
  return [
    head,
    `| ${'measure'.padEnd(width)} | ${'count'.padEnd(middle)} | share |`,
    `|${'-'.repeat(width + 2)}|${'-'.repeat(middle + 2)}|-------|`,
    ...rows.map(
      ([name, count, share]) => `| ${name.padEnd(width)} | ${count.padEnd(middle)} | ${share.padEnd(5)} |`,
    ),
  ].join('\n');
}

/** Returns every case of a project: what was remembered, missed, wrong. */
export function cases({ name, score, run }: Result): string {
  const lines = [`## ${name}  (brief ${run.briefTokens} tokens, ${score.live.length} live entries)`];
  for (const { label, entry, score: match, kindRight, titleShare } of score.matches)
    lines.push(
      `  ok      ${match.toFixed(2)} ${labelLine(label)}`,
      `          ${kindRight ? '    ' : 'KIND'} ${titleShare.toFixed(2)} ${entryLine(entry)}`,
    );
  for (const label of score.missed) {
    const elsewhere = score.saidElsewhere.includes(label) ? ' (said by the entry of another label)' : '';
    lines.push(`  MISSED  ${labelLine(label)}${elsewhere}`);
    const best = score.pairs.find((pair) => pair.label === label);
    if (best && best.score > 0)
      lines.push(
        `          nearest ${best.score.toFixed(2)}, ${best.distance} turns away: ${entryLine(best.entry)}`,
      );
  }
  for (const { label, entry, score: match } of score.endedAsCurrent)
    lines.push(`  ENDED   ${match.toFixed(2)} ${labelLine(label)}`, `          ${entryLine(entry)}`);
  for (const { label, entry } of score.fixedListedOpen)
    lines.push(`  FIXED   ${labelLine(label)}`, `          ${entryLine(entry)}`);
  for (const entry of score.sameMatter) lines.push(`  matter  ${entryLine(entry)}`);
  for (const entry of score.noise) lines.push(`  NOISE   ${entryLine(entry)}`);
  for (const { statement, entry } of score.falseStatements)
    lines.push(`  FALSE   ${statement}`, `          ${entryLine(entry)}`);
  return lines.join('\n');
}

function labelLine({ id, turn, kind, title, status, until }: Label): string {
  const when = status === 'ended' ? `ended ${until}` : status;
  return `${id} ${turn} ${kind} (${when}): ${title}`;
}

function entryLine({ kind, state, turns, title }: Entry): string {
  return `${turns.join(',') || '?'} ${kind}${state === 'current' ? '' : ` (${state})`}: ${title}`;
}

function row(name: string, { count, of }: Measure): readonly [string, string, string] {
  return [name, `${count} of ${of}`, of === 0 ? '–' : (count / of).toFixed(2)];
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : Math.round(values.reduce((all, one) => all + one, 0) / values.length);
}
