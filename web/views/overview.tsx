/** What is remembered, at a glance. */
import { NothingYet, Shown } from '../parts/notice.tsx';
import { KindMark, kindsName } from '../parts/kind.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { Text } from '../parts/text.tsx';
import { useTitle } from '../parts/use-title.ts';
import type { MemoryKind } from '../../src/model/index.ts';
import type { ListedProject, Spent, Stats } from '../api.ts';
import { to } from '../route.ts';
import { ago } from '../time.ts';
import { useAnswer } from '../use-answer.ts';

const OPEN_ISSUES_SHOWN = 5;

export function Overview() {
  useTitle('Overview');
  const stats = useAnswer<'stats'>('/stats');
  const projects = useAnswer<'projects'>('/projects');
  const named = new Map(projects.kind === 'there' ? projects.value.map(({ id, name }) => [id, name]) : []);
  return (
    <Shown answer={stats} alone>
      {(value) => (
        <>
          <h1>What is remembered</h1>
          <p class="lead">{leadOf(value, projects.kind === 'there' ? projects.value : [])}</p>
          {value.memories === 0 ? (
            <NothingYet />
          ) : (
            <>
              <Cards stats={value} />
              <div class="columns">
                <section aria-labelledby="recent">
                  <h2 id="recent">Recent memories</h2>
                  <Timeline
                    total={value.memories}
                    {...(named.size > 1 ? { projectName: (id: string) => named.get(id) ?? id } : {})}
                  />
                </section>
                <aside>
                  <OpenIssues />
                  <Kinds byKind={value.byKind} />
                  <Spending />
                </aside>
              </div>
            </>
          )}
        </>
      )}
    </Shown>
  );
}

function Cards({ stats }: { readonly stats: Stats }) {
  const days = stats.byDay && Object.keys(stats.byDay).length;
  const cards = [
    { name: 'Memories', value: stats.memories.toLocaleString('en') },
    { name: 'Projects', value: stats.projects.toLocaleString('en') },
    { name: 'Active days', value: days === undefined ? '–' : days.toLocaleString('en') },
    { name: 'Average a day', value: average(stats.memories, days) },
    { name: 'Average a project', value: average(stats.memories, stats.projects) },
  ];
  return (
    <dl class="cards">
      {cards.map(({ name, value }) => (
        <div class="card" key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function OpenIssues() {
  const found = useAnswer<'search'>('/search?q=kind%3Aissue&limit=100');
  if (found.kind !== 'there') return null;
  const open = found.value.hits.map(({ memory }) => memory).filter(({ state }) => state === 'open');
  if (open.length === 0) return null;
  const now = new Date();
  return (
    <section class="panel first" aria-labelledby="open">
      <h2 id="open">Open issues</h2>
      <ul class="plain">
        {open.slice(0, OPEN_ISSUES_SHOWN).map(({ id, title, at }) => (
          <li key={id}>
            <a href={to.memory(id)}>
              <Text text={title} />
            </a>
            <span class="soft">{ago(at, now)}</span>
          </li>
        ))}
      </ul>
      {open.length > OPEN_ISSUES_SHOWN && <a href={to.search('kind:issue')}>All {open.length}</a>}
    </section>
  );
}

function Kinds({ byKind }: { readonly byKind: Stats['byKind'] }) {
  return (
    <section class="panel" aria-labelledby="kinds">
      <h2 id="kinds">Kinds</h2>
      <ul class="kinds">
        {Object.entries(byKind).map(([kind, count]) => (
          <li key={kind}>
            <a href={to.search(`kind:${kind}`)}>
              <KindMark kind={kind as MemoryKind} />
              <span>{kindsName(kind)}</span>
              <span class="soft">{count.toLocaleString('en')}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Money people did not know of is the first thing they mind. */
function Spending() {
  const cost = useAnswer<'cost'>('/cost');
  if (cost.kind !== 'there') return null;
  const { total, rows } = cost.value;
  return (
    <section class="panel" aria-labelledby="spent">
      <h2 id="spent">Spent on models</h2>
      {total.requests === 0 ? (
        <p class="soft">Nothing. The rules that made these memories run on this machine, without a model.</p>
      ) : (
        <ul class="plain">
          <li>
            <strong>{dollars(total)}</strong>
            <span class="soft">{spentOn(total)} in all</span>
          </li>
          {rows.map((day) => (
            <li key={day.key}>
              {dollars(day)}
              <span class="soft">
                {day.key}, {spentOn(day)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function dollars({ usd }: Spent): string {
  return `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
}

function spentOn({ requests, inputTokens, outputTokens }: Spent): string {
  return `${counted(requests, 'request')}, ${counted(inputTokens + outputTokens, 'token')}`;
}

function leadOf({ sessions, turns }: Stats, projects: readonly ListedProject[]): string {
  const last = projects
    .flatMap(({ lastAt }) => lastAt ?? [])
    .toSorted()
    .at(-1);
  const from = `From ${counted(turns, 'turn')} in ${counted(sessions, 'session')}`;
  return last === undefined ? `${from}.` : `${from}, the last one ${ago(last, new Date())}.`;
}

function counted(count: number, unit: string): string {
  return `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`;
}

function average(count: number, over: number | undefined): string {
  if (!over) return '–';
  const value = count / over;
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}
