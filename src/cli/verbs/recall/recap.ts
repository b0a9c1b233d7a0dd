/** Prints what was decided, done, fixed and left open since a day: for a stand-up or a handover. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { given } from '../../../core/index.ts';
import {
  lineFacts,
  moreLines,
  nothingHappened,
  olderIssues,
  RECAP_LINES,
  RECAP_SECTIONS,
  recapMarkdown,
  recapTitle,
  SECTION_TITLES,
  type ProjectRecap,
} from '../../../recall/index.ts';
import { projectNamed } from '../../project-named.ts';
import { row } from '../../row.ts';
import type { Screen } from '../../screen.ts';
import { count, flag, optionText, sinceOf, usageError, value, type Context, type Verb } from '../../verb.ts';

export const recap: Verb = {
  name: 'recap',
  usage: 'recap [--since <when>] [--project <name> | --all] [--limit <n>] [--markdown]',
  summary: 'Show what was decided, done, fixed and left open lately, for a stand-up or a handover.',
  options: {
    since: value(
      'when',
      'The first day: monday, yesterday, "last week", "3 days ago", 2026-11-10 (default: the last working day).',
    ),
    project: value('name', 'Only this project, by name, id or folder (default: the one of this folder).'),
    all: flag('All projects.'),
    limit: value('n', `Maximum number of lines per project (default: ${RECAP_LINES}).`),
    markdown: flag('Print Markdown, ready to paste.'),
  },
  examples: ['tidemark recap', 'tidemark recap --since monday --all', 'tidemark recap --markdown | pbcopy'],
  async run(context) {
    const { options, client, screen } = context;
    const limit = options['limit'] === undefined ? undefined : count(options, 'limit', 1);
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const asked = { zone, ...given({ since: sinceOf(options), limit }), ...(await whereOf(context)) };
    const found = await client.call('read.recap', asked);
    if (options['json']) return screen.json(found);
    if (options['markdown']) return screen.print(recapMarkdown(found));
    if (found.projects.length === 0) {
      screen.print(nothingHappened(found));
      if (found.project) screen.say('For the other projects: tidemark recap --all');
      return;
    }
    screen.print(recapTitle(found));
    for (const project of found.projects) print(screen, project, limit ?? RECAP_LINES);
  },
};

/** The project of `--project`, else of this folder; empty for all. */
async function whereOf({ options, cwd, client }: Context) {
  const named = optionText(options, 'project');
  if (options['all'] && named !== undefined) throw usageError('use only one of --project and --all');
  if (options['all']) return {};
  if (named === undefined) return { dir: cwd };
  const dir = resolve(cwd, named);
  const isFolder = /[/\\.]/.test(named) && statSync(dir, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? { dir } : { project: await projectNamed(client, named) };
}

function print(screen: Screen, project: ProjectRecap, limit: number): void {
  const { paint } = screen;
  screen.print(`\n${paint.bold(project.name)}`);
  for (const section of RECAP_SECTIONS) {
    if (project[section].length === 0) continue;
    screen.print(paint.yellow(SECTION_TITLES[section]));
    for (const line of project[section])
      screen.print(
        row(screen, { front: ' •', text: line.text, behind: paint.dim(lineFacts(line).join(' · ')) }),
      );
  }
  if (project.more > 0) screen.print(paint.dim(`${moreLines(project)}: add --limit ${limit + project.more}`));
  if (project.olderIssues > 0) screen.print(paint.dim(`${olderIssues(project)}: tidemark search kind:issue`));
}
