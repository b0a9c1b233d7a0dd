/** Shows how much is remembered: by kind, state, project and day. */
import { counted, size } from '../../screen.ts';
import type { Verb } from '../../verb.ts';

const DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
const BARS = '▁▂▃▄▅▆▇█';
const MOST_PROJECTS = 10;

export const stats: Verb = {
  name: 'stats',
  usage: 'stats',
  summary: 'Show how much is remembered, by kind, project and day.',
  async run({ options, client, screen }) {
    const found = await client.call('read.stats', {});
    if (options['json']) return screen.json(found);
    const { paint } = screen;
    const projects = largest(found.byProject);
    const names = [found.byKind, found.byState, projects].flatMap((counts) => Object.keys(counts));
    const width = Math.max(0, ...names.map((name) => name.length)) + 2;
    screen.print(
      [
        `${paint.bold(counted(found.memories, 'memory'))} from ${counted(found.turns, 'turn')} in ${counted(found.sessions, 'session')} of ${counted(found.projects, 'project')}`,
        `injected ${counted(found.injections, 'time')}, opened ${counted(found.opened, 'time')}; the index takes ${size(found.bytes)}`,
        ...(found.memories === 0 ? [] : ['', ...listed(found.byKind, paint.yellow, width)]),
        ...(Object.keys(found.byState).length > 1 ? ['', ...listed(found.byState, paint.cyan, width)] : []),
        ...(found.memories === 0 ? [] : ['', ...listed(projects, paint.bold, width)]),
        '',
        `${paint.green(daily(found.byDay, new Date()))}  the last ${DAYS} days`,
      ].join('\n'),
    );
  },
};

function listed(
  counts: Readonly<Record<string, number>>,
  paint: (text: string) => string,
  width: number,
): readonly string[] {
  return Object.entries(counts).map(([name, n]) => `  ${paint(name.padEnd(width))}${String(n).padStart(6)}`);
}

/** The largest projects, and the others together, so that the numbers add up to the total. */
function largest(byProject: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const all = Object.entries(byProject);
  const rest = all.slice(MOST_PROJECTS);
  if (rest.length < 2) return byProject;
  const sum = rest.reduce((total, [, n]) => total + n, 0);
  return { ...Object.fromEntries(all.slice(0, MOST_PROJECTS)), [`${rest.length} more projects`]: sum };
}

/** One bar per day, oldest first: `▁▁▃█▂` */
function daily(byDay: Readonly<Record<string, number>>, now: Date): string {
  const days = Array.from({ length: DAYS }, (_, i) =>
    new Date(now.getTime() - (DAYS - 1 - i) * DAY_MS).toISOString().slice(0, 10),
  );
  const counts = days.map((day) => byDay[day] ?? 0);
  const most = Math.max(1, ...counts);
  return counts
    .map((n) => (n === 0 ? '·' : BARS[Math.min(BARS.length - 1, Math.floor((n / most) * BARS.length))]))
    .join('');
}
