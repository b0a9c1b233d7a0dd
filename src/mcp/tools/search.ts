/** Level 1: lists matching memories, then turns and sections of the agents' own files, one line each. */
import { shortId, shortOrigin, plainLine } from '../../core/index.ts';
import type { FoundMemory, FoundTurn, SearchAnswer } from '../../daemon/index.ts';
import {
  age,
  changeNote,
  cutToTokens,
  laterNote,
  unsearchable,
  writtenBy,
  type SectionFound,
} from '../../recall/index.ts';
import { byOf, data, kindOf } from '../lines.ts';
import { defineTool, READS } from '../tool.ts';

const DEFAULT_LIMIT = 10;
const TITLE_TOKENS = 40;

export const search = defineTool({
  name: 'search',
  title: 'Search memories',
  description:
    'Find what is remembered from earlier sessions: one line per memory with id, kind, who said it (user, agent; shown by a test or commit; quoted), age, score and token cost. ' +
    'Start here, then open the few that matter with show. Searches the current project, with all: true every project. What is over (resolved, superseded) comes last. ' +
    'Use words that the memory itself would contain: names of files, functions, tools, error messages. ' +
    'The query may contain filters: kind:decision (bugfix, feature, refactor, discovery, pattern, issue, preference, dead_end), ' +
    'state:open (current, resolved, superseded), file:auth.ts, project:name, since: and until: with a short time (3d, 2w, 1m) or a date (2026-02-01, 2026-02). Filters alone list the newest.',
  properties: {
    query: {
      type: 'string',
      maxLength: 2000,
      description: 'Words and filters, e.g. "refresh token rotation kind:decision since:1m"',
    },
    all: { type: 'boolean', description: 'true: search every project, not only the current one' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 50,
      default: DEFAULT_LIMIT,
      description: 'Maximum number',
    },
  },
  required: ['query'],
  annotations: READS,
  async run({ query, limit = DEFAULT_LIMIT, all = false }, { call, dir, now }) {
    const answer = await call('read.search', { query, limit, all, dir });
    const { hits, turns, sections, query: asked } = answer;
    const problems = asked.problems.map((problem) => `Not understood: ${plainLine(problem)}`);
    if (hits.length + turns.length + sections.length === 0)
      return [...problems, nothingFor(answer)].join('\n');
    const several = answer.within === undefined || new Set(hits.map(({ memory }) => memory.project)).size > 1;
    const below = [
      ...(turns.length > 0 ? [TURNS_HEAD, ...turns.map((turn) => turnLine(turn, now))] : []),
      ...(sections.length > 0 ? [SECTIONS_HEAD, ...sections.map(sectionLine)] : []),
    ];
    return [...problems, data([...hits.map((hit) => line(hit, now, several)), ...below])].join('\n');
  },
});

function nothingFor({ query, within, elsewhere }: SearchAnswer): string {
  const reason = unsearchable(query.text);
  if (reason !== undefined) return plainLine(reason);
  if (elsewhere > 0)
    return `No matches in this project. ${elsewhere} ${elsewhere === 1 ? 'hit' : 'hits'} in other projects: repeat with all: true.`;
  const where = within === undefined ? '' : ' in any project';
  return `No matches${where}. Try fewer or other words; filters alone (kind:decision, since:1m) list the newest.`;
}

const TURNS_HEAD = 'Turns (transcript opens a turn by its id):';

const SECTIONS_HEAD = 'Files that agents load themselves (show opens a section by its id):';

function sectionLine({ section, excerpt }: SectionFound): string {
  const title = cutToTokens(plainLine(section.title), TITLE_TOKENS);
  return `${section.id} ${section.label}, ${writtenBy(section, 'agent')}: ${title} | ${plainLine(excerpt)}`;
}

function turnLine({ turn, name, cost }: FoundTurn, now: Date): string {
  const [first = ''] = turn.prompt.trim().split('\n');
  return `${name} turn, ${age(turn.at, now)}, ~${cost} tokens: ${cutToTokens(plainLine(first), TITLE_TOKENS)}`;
}

function line(
  { memory, projectName, score, cost, duplicates, changes, later }: FoundMemory,
  now: Date,
  nameProject: boolean,
): string {
  const facts = [
    kindOf(memory),
    plainLine(shortOrigin(memory)),
    age(memory.at, now),
    ...(nameProject ? [plainLine(projectName)] : []),
    `score ${score.toFixed(2)}`,
    `~${cost} tokens`,
    ...(duplicates.length > 0 ? [`said ${duplicates.length + 1} times`] : []),
    ...(changes.length > 0 ? [changeNote(changes)] : []),
    ...(later ? [laterNote(later, now)] : []),
  ];
  return `${shortId(memory.id)} ${facts.join(', ')}: ${cutToTokens(plainLine(memory.title), TITLE_TOKENS)}${byOf(memory)}`;
}
