/** The overview: lists of memories first, then counts, activity, charts and health. */
import { useEffect, useMemo } from 'preact/hooks';
import type { MemoryKind } from '../../src/core/index.ts';
import type { DayCount, Overview as Figures } from '../../src/http/index.ts';
import { useTeam } from '../here.ts';
import { changes, health } from '../live.ts';
import { Chart } from '../parts/chart.tsx';
import { Health, HealthAlert } from '../parts/health.tsx';
import { HeatKey, Heatmap } from '../parts/heatmap.tsx';
import { HomeLists } from '../parts/home.tsx';
import { ALL_KINDS, kindsName } from '../parts/kind.tsx';
import { NothingYet, Shown } from '../parts/notice.tsx';
import { useTitle } from '../parts/use-title.ts';
import { to } from '../route.ts';
import { plainDay, shortDay, weekday, ZONE } from '../time.ts';
import { useAnswer } from '../use-answer.ts';
import { average, counted } from '../words.ts';

export function Overview() {
  useTitle('Overview');
  const team = useTeam();
  const again = changes.use();
  const home = useAnswer('GET /home', { query: { zone: ZONE } }, { again });
  const answer = useAnswer('GET /overview', { query: { zone: ZONE } }, { again });
  useEffect(() => {
    if (answer.kind === 'there') health.set(() => answer.value.health);
  }, [answer]);
  return (
    <>
      <div class="hero">
        <Waves />
        <h1>Overview</h1>
        <p class="lead">{answer.kind === 'there' ? leadOf(answer.value, team?.team) : '\u00a0'}</p>
      </div>
      {answer.kind === 'there' && answer.value.health && <HealthAlert health={answer.value.health} />}
      <Shown answer={home}>
        {(lists) => lists.learned.length + lists.openTotal > 0 && <HomeLists home={lists} />}
      </Shown>
      <Shown answer={answer}>
        {(figures) => (figures.memories === 0 ? <Welcome figures={figures} /> : <Panels figures={figures} />)}
      </Shown>
    </>
  );
}

/** The lead of a machine or, with its name, of a team. */
function leadOf(figures: Figures, team: string | undefined): string {
  if (team !== undefined) return sharedBy(team, figures);
  if (figures.memories === 0) return 'All memories stay on this machine.';
  return `${counted(figures.memories, 'memory', 'memories')} from ${counted(figures.sessions, 'session')}, stored on this machine.`;
}

function sharedBy(team: string, { authors = 0 }: Figures): string {
  if (authors === 0) return `Memories of ${team}.`;
  return `Memories that ${team} shares with you, from ${counted(authors, 'person', 'people')}.`;
}

/** The view of a new install: what to do, and whether capture works. */
function Welcome({ figures }: { readonly figures: Figures }) {
  return (
    <div class="grid">
      <div class="wide">
        <NothingYet />
      </div>
      {figures.health && (
        <div class="third">
          <Health health={figures.health} />
        </div>
      )}
    </div>
  );
}

function Panels({ figures }: { readonly figures: Figures }) {
  return (
    <div class="grid">
      <Cards figures={figures} />
      <section class="panel" aria-labelledby="activity">
        <header>
          <h2 id="activity">Activity</h2>
          <HeatKey />
        </header>
        <Heatmap days={figures.heatmap} />
      </section>
      <Week figures={figures} />
      <Kinds figures={figures} />
      {figures.health && <Health health={figures.health} />}
    </div>
  );
}

function Cards({ figures }: { readonly figures: Figures }) {
  const cards = [
    { name: 'Memories', value: figures.memories.toLocaleString('en') },
    { name: 'Projects', value: figures.projects.toLocaleString('en') },
    { name: 'Active days', value: figures.activeDays.toLocaleString('en') },
    { name: 'Per active day', value: average(figures.averagePerDay) },
    { name: 'Per project', value: average(figures.averagePerProject) },
  ];
  return (
    <dl class="cards">
      {cards.map(({ name, value }) => (
        <div class="card" key={name} data-testid="overview-card">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Week({ figures: { week, beforeWeek, memories } }: { readonly figures: Figures }) {
  const fresh = week.reduce((sum, { count }) => sum + count, 0);
  const chart = useMemo(() => weekChart(week, beforeWeek), [week, beforeWeek]);
  return (
    <section class="panel half" aria-labelledby="week">
      <header>
        <h2 id="week">Last seven days</h2>
        <span class="soft">
          +{fresh.toLocaleString('en')}, now {memories.toLocaleString('en')}
        </span>
      </header>
      <Chart label={`New memories on each of the last seven days: ${fresh} in total`} {...chart} />
      <ul class="key">
        <li>
          <i class="tide-2" aria-hidden="true" /> New that day
        </li>
        <li>
          <i class="line" aria-hidden="true" /> Total, on the right
        </li>
      </ul>
    </section>
  );
}

function weekChart(week: readonly DayCount[], before: number) {
  let total = before;
  return {
    places: week.map(({ date }, i) => ({
      short: i === week.length - 1 ? 'Today' : weekday(date),
      long: plainDay(date),
    })),
    bars: [{ name: 'new', values: week.map(({ count }) => count) }],
    line: { name: 'total', values: week.map(({ count }) => (total += count)) },
  };
}

function Kinds({ figures: { kindsOverTime } }: { readonly figures: Figures }) {
  const kinds = ALL_KINDS.filter((kind) => kindsOverTime.some(({ counts }) => counts[kind]));
  const chart = useMemo(
    () => ({
      places: kindsOverTime.map(({ week }) => ({
        short: shortDay(week),
        long: `Week of ${shortDay(week)}`,
      })),
      bars: kinds.map((kind) => ({
        name: kindsName(kind).toLowerCase(),
        kind,
        values: kindsOverTime.map(({ counts }) => counts[kind] ?? 0),
      })),
    }),
    [kindsOverTime],
  );
  return (
    <section class="panel half" aria-labelledby="kinds">
      <header>
        <h2 id="kinds">Kinds over time</h2>
        <span class="soft">by week</span>
      </header>
      <Chart label="Memories of each kind by week, the last six months" {...chart} />
      <KindKey kinds={kinds} />
    </section>
  );
}

function KindKey({ kinds }: { readonly kinds: readonly MemoryKind[] }) {
  return (
    <ul class="key">
      {kinds.map((kind) => (
        <li key={kind}>
          <a href={to.search(`kind:${kind}`)}>
            <i class={`kind-${kind}`} aria-hidden="true" />
            {kindsName(kind)}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Waves() {
  return (
    <svg class="waves" viewBox="0 0 352 80" aria-hidden="true">
      {[0, 1, 2, 3].map((line) => (
        <path
          key={line}
          opacity={0.5 - line * 0.11}
          d={`M${8 + line * 12} ${20 + line * 16}q22-14 44 0t44 0 44 0 44 0 44 0 44 0 44 0`}
        />
      ))}
    </svg>
  );
}
