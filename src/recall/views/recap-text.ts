/** Words of a recap for people: the same on the command line, in Markdown and in the hub. Pure. */
import { EVIDENCE_WORDS, shortId } from '../../core/index.ts';
import { RECAP_SECTIONS, SECTION_TITLES, type ProjectRecap, type Recap, type RecapLine } from './recap.ts';

/** `Since yesterday, Monday 16 November (the last working day)`, `Today` */
export function recapTitle({ day, isLastWorkday }: Recap): string {
  if (day === 'today') return 'Today';
  return `Since ${day}${isLastWorkday ? ' (the last working day)' : ''}`;
}

/** `Nothing happened in harbor-api since Monday 16 November.` */
export function nothingHappened({ day, project }: Recap): string {
  const when = day === 'today' ? 'today' : `since ${day}`;
  return `Nothing happened${project ? ` in ${project.name}` : ''} ${when}.`;
}

/** Commits, the evidence where only the agent says it, the author, and the id for `tidemark show` or `transcript`. */
export function lineFacts({ commits = [], evidence, author, memory, turn }: RecapLine): readonly string[] {
  const isClaim = evidence === 'claimed' || evidence === 'quoted';
  return [
    ...commits.map((hash) => `commit ${hash}`),
    ...(isClaim ? [EVIDENCE_WORDS[evidence]] : []),
    ...(author === undefined ? [] : [`by ${author}`]),
    ...[memory === undefined ? turn : shortId(memory)].filter((id) => id !== undefined),
  ];
}

/** `12 more lines` */
export function moreLines({ more }: ProjectRecap): string {
  return more === 1 ? '1 more line' : `${more} more lines`;
}

/** `3 older issues are still open` */
export function olderIssues({ olderIssues: count }: ProjectRecap): string {
  return count === 1 ? '1 older issue is still open' : `${count} older issues are still open`;
}

/** For a chat, a ticket or a page. */
export function recapMarkdown(recap: Recap): string {
  const title = `# ${recapTitle(recap)}`;
  if (recap.projects.length === 0) return `${title}\n\n${escaped(nothingHappened(recap))}`;
  return [title, ...recap.projects.map(projectMarkdown)].join('\n\n');
}

function projectMarkdown(project: ProjectRecap): string {
  const sections = RECAP_SECTIONS.filter((section) => project[section].length > 0).map((section) => {
    const lines = project[section].map((line) => {
      const facts = lineFacts(line);
      return `- ${escaped(line.text)}${facts.length > 0 ? ` (${escaped(facts.join(', '))})` : ''}`;
    });
    return [`**${SECTION_TITLES[section]}**`, '', ...lines].join('\n');
  });
  const rest = [
    ...(project.more > 0 ? [`${moreLines(project)}.`] : []),
    ...(project.olderIssues > 0 ? [`${olderIssues(project)}.`] : []),
  ];
  return [`## ${escaped(project.name)}`, ...sections, rest.join(' ')].filter(Boolean).join('\n\n');
}

/** A tag outside of code would not be shown. */
function escaped(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, i) => (i % 2 === 0 ? part.replace(/[<*]/g, '\\$&') : part))
    .join('');
}
