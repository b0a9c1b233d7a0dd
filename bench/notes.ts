/**
 * Compares the forms in which the agent notes what matters: in its answer, with two wordings of the instruction, and by tool.
 *
 *   node bench/notes.ts --sessions DIR [--skip-client] [--claude /path/to/claude] [--turns 15] [--json]
 *
 * Mechanics: tokens, requests and seconds of one scripted session with the real client and a stand-in for the model.
 * Following: the notes that a language model wrote for each turn (bench/data/notes), scored with the labels of DIR.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CLAUDE_CODE_VERSIONS, claudeCode } from '../test/support/parts.ts';
import { labelledProjects } from './labelled-sessions.ts';
import { mechanics, type Mechanics } from './_notes-mechanics.ts';
import { FORMS, play, playedProjects, type Form, type Played } from './_notes-play.ts';
import { scoreProject, total, type Measure, type Total } from './memory-score.ts';

const { values: options } = parseArgs({
  options: {
    sessions: { type: 'string' },
    claude: { type: 'string' },
    turns: { type: 'string', default: '15' },
    'skip-client': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});
const DATA = join(import.meta.dirname, 'data', 'notes');
/** The longest of the played projects. */
const SCRIPTED = 'f-09';
/** 60 calls in 15 turns, as in bench/distill.ts. */
const CALLS_PER_TURN = 4;

interface Followed {
  readonly name: string;
  readonly total: Total;
  readonly played: readonly Played[];
}

const NAMES: Readonly<Record<Form, string>> = {
  full: 'in the answer, shipped wording',
  short: 'in the answer, short wording',
  tool: 'by tool',
};

await main();

async function main(): Promise<void> {
  if (options.sessions === undefined) {
    console.error('Give the folder of labelled sessions: --sessions DIR');
    process.exitCode = 1;
    return;
  }
  const played = playedProjects(DATA);
  const projects = labelledProjects(options.sessions, { projects: played.map(({ project }) => project) });
  const rows: [string, Form | undefined, boolean][] = [
    ['rules only', undefined, true],
    ...FORMS.map((form): [string, Form, boolean] => [NAMES[form], form, false]),
    ...FORMS.map((form): [string, Form, boolean] => [`${NAMES[form]}, with rules`, form, true]),
  ];
  const followed: Followed[] = [];
  for (const [name, form, withRules] of rows) {
    const results = [];
    for (const project of projects) {
      const notes = played.find((one) => one.project === project.name);
      if (!notes) continue;
      const one = await play(project, notes, form, withRules);
      const turns = project.sessions.flatMap((session) =>
        session.turns.map((turn, n) => ({
          name: `${session.id}.${n + 1}`,
          text: `${turn.user}\n${turn.assistant}`,
        })),
      );
      const input = { labels: project.labels, end: project.end, entries: one.entries, turns };
      results.push({ one, input, score: scoreProject(input) });
    }
    followed.push({ name, total: total(results), played: results.map(({ one }) => one) });
    if (options.verbose && form)
      for (const { score } of results) {
        console.error(
          `${name}\n  missed: ${score.missed.map(({ turn, title }) => `${turn} ${title}`).join('\n          ')}`,
        );
        console.error(
          `  noise: ${score.noise.map(({ turns, title }) => `${turns[0]} ${title}`).join('\n         ')}`,
        );
        console.error(
          `  ended as current: ${score.endedAsCurrent.map(({ label, entry }) => `${label.title} / ${entry.title}`).join('\n    ')}`,
        );
      }
  }
  const client = options['skip-client'] ? undefined : await clientOf();
  const scripted = played.find(({ project }) => project === SCRIPTED);
  const script = projects.find(({ name }) => name === SCRIPTED);
  const measured: Mechanics[][] = [];
  const maxTurns = Number(options.turns);
  for (const callsPerTurn of client && scripted && script ? [0, CALLS_PER_TURN] : []) {
    const rowsOf: Mechanics[] = [];
    for (const form of ['off', 'answer', 'tool'] as const)
      if (client && scripted && script)
        rowsOf.push(await mechanics(client, script, scripted, form, { maxTurns, callsPerTurn }));
    measured.push(rowsOf);
  }
  if (options.json) return console.log(JSON.stringify({ followed, mechanics: measured }, null, 2));
  const turns = played.reduce((sum, one) => sum + one.turns.length, 0);
  console.log(`## Following (${turns} turns of ${played.length} projects, played by one language model)\n`);
  console.log(followedTable(followed));
  for (const [i, table] of measured.entries()) {
    const what =
      i === 0 ? 'as recorded, outputs abbreviated' : `with real files, ${CALLS_PER_TURN} calls a turn`;
    console.log(
      `\n## Mechanics (one session, ${table[0]?.turns} turns, ${what})\n\n${mechanicsTable(table)}`,
    );
  }
}

function followedTable(rows: readonly Followed[]): string {
  const head =
    '| notes | lines | format errors | in force, remembered | open right | ended, presented as current | noise | kind right | title carries the point |';
  return [
    head,
    '|---|---|---|---|---|---|---|---|---|',
    ...rows.map(({ name, total: all, played }) => {
      const lines = played.reduce((sum, { notes }) => sum + notes, 0);
      const errors = played.reduce((sum, { formatErrors }) => sum + formatErrors.length, 0);
      const cells = [
        all.inForce,
        all.openRight,
        all.endedAsCurrent,
        all.noise,
        all.kindRight,
        all.titleCarries,
      ];
      return `| ${name} | ${lines} | ${errors} | ${cells.map(share).join(' | ')} |`;
    }),
  ].join('\n');
}

function mechanicsTable(rows: readonly Mechanics[]): string {
  const [base] = rows;
  const more = (value: number, of: number | undefined): string =>
    of === undefined || value === of
      ? ''
      : ` (${value > of ? '+' : ''}${((100 * (value - of)) / of).toFixed(2)} %)`;
  return [
    '| form | notes | requests | input tokens, all requests | context at the end | output tokens | seconds |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${row.form} | ${row.notes} | ${row.requests}${more(row.requests, base?.requests)} | ${row.inputTokens.toLocaleString('en-US')}${more(row.inputTokens, base?.inputTokens)} | ${row.contextTokens.toLocaleString('en-US')}${more(row.contextTokens, base?.contextTokens)} | ${row.outputTokens.toLocaleString('en-US')}${more(row.outputTokens, base?.outputTokens)} | ${row.seconds.toFixed(1)} |`,
    ),
  ].join('\n');
}

function share({ count, of }: Measure): string {
  return of === 0 ? '–' : `${count} of ${of}`;
}

async function clientOf(): Promise<string | undefined> {
  if (options.claude) return resolve(options.claude);
  // A script without types, named at run time.
  const parts: string = '../scripts/_parts.mjs';
  const { prepareParts } = (await import(parts)) as {
    prepareParts(suites: readonly string[], say: (text: string) => void): Promise<void>;
  };
  await prepareParts(['e2e'], (text) => console.error(text));
  const { path, skip } = claudeCode(CLAUDE_CODE_VERSIONS[0]);
  if (skip) console.error(skip);
  return skip ? undefined : path;
}
