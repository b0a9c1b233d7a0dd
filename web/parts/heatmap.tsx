/**
 * Activity of half a year: a table whose cells are days, readable by screen readers and usable with arrow keys. No
 * calendar library works with the keyboard and without inline styles.
 */
import { useRef, useState } from 'preact/hooks';
import type { DayCount } from '../../src/http/index.ts';
import { levelsOf } from '../heat-levels.ts';
import { go, to } from '../route.ts';
import { monthOf, plainDay } from '../time.ts';
import { counted } from '../words.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const DAYS = WEEKDAYS.length;
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -DAYS,
  ArrowRight: DAYS,
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: -4 * DAYS,
  PageDown: 4 * DAYS,
};

interface Tip {
  readonly day: DayCount;
  readonly left: number;
  readonly top: number;
  readonly isRight: boolean;
}

export function Heatmap({ days }: { readonly days: readonly DayCount[] }) {
  const [at, setAt] = useState(days.length - 1);
  const [tip, setTip] = useState<Tip>();
  const self = useRef<HTMLDivElement>(null);
  const weeks = Math.ceil(days.length / DAYS);
  const scale = levelsOf(days.map(({ count }) => count));
  const show = (i: number, cell: HTMLElement) => {
    const box = self.current?.getBoundingClientRect();
    const own = cell.getBoundingClientRect();
    const day = days[i];
    if (!box || !day) return;
    const left = own.left - box.left + own.width / 2;
    setTip({ day, left, top: own.top - box.top, isRight: left > box.width / 2 });
  };
  const pressed = (event: KeyboardEvent) => {
    const end = event.key === 'Home' ? 0 : event.key === 'End' ? days.length - 1 : undefined;
    const next = end ?? at + (STEPS[event.key] ?? Number.NaN);
    const here = days[at];
    if (event.key === 'Enter' && here) return open(here);
    if (!(next >= 0 && next < days.length)) return;
    event.preventDefault();
    setAt(next);
    self.current?.querySelector<HTMLElement>(`[data-day="${next}"]`)?.focus();
  };
  return (
    <div class="heat" ref={self} data-testid="heatmap">
      <div class="heat-scroll" ref={toTheEnd}>
        <table role="grid" aria-label="Memories by day, the last six months" onKeyDown={pressed}>
          <colgroup>
            <col class="names" />
            <col span={weeks} />
          </colgroup>
          <thead>
            <Months days={days} weeks={weeks} />
          </thead>
          <tbody>
            {WEEKDAYS.map((name, weekday) => (
              <tr key={name}>
                <th scope="row">
                  <span class="unseen">{name}</span>
                  <span aria-hidden="true">{weekday % 2 === 0 ? name.slice(0, 3) : ''}</span>
                </th>
                {Array.from({ length: weeks }, (_, week) => {
                  const i = week * DAYS + weekday;
                  const day = days[i];
                  if (!day) return <td key={week} />;
                  return (
                    <td
                      key={week}
                      class={`day tide-${scale(day.count)}`}
                      data-day={i}
                      tabIndex={i === at ? 0 : -1}
                      aria-label={labelOf(day)}
                      onMouseEnter={(event) => show(i, event.currentTarget)}
                      onMouseLeave={() => setTip(undefined)}
                      onFocus={(event) => {
                        setAt(i);
                        show(i, event.currentTarget);
                      }}
                      onBlur={() => setTip(undefined)}
                      onClick={() => open(day)}
                    />
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {tip && (
        <div
          class="tip"
          aria-hidden="true"
          style={{
            top: `${tip.top - 40}px`,
            ...(tip.isRight ? { right: `calc(100% - ${tip.left + 16}px)` } : { left: `${tip.left - 16}px` }),
          }}
        >
          <b>{counted(tip.day.count, 'memory', 'memories')}</b> {plainDay(tip.day.date)}
        </div>
      )}
    </div>
  );
}

export function HeatKey() {
  return (
    <span class="heat-key" aria-hidden="true">
      fewer <i class="tide-0" /> <i class="tide-1" /> <i class="tide-2" /> <i class="tide-3" />{' '}
      <i class="tide-4" /> more
    </span>
  );
}

/** The name of each month above its first week; a month with a single week has no room for a name. */
function Months({ days, weeks }: { readonly days: readonly DayCount[]; readonly weeks: number }) {
  const names = Array.from({ length: weeks }, (_, week) => monthOf(days[week * DAYS]?.date ?? ''));
  const starts = names.flatMap((name, week) => (names[week - 1] === name ? [] : [week]));
  return (
    <tr aria-hidden="true">
      <td />
      {starts.map((week, i) => {
        const span = (starts[i + 1] ?? weeks) - week;
        return (
          <th key={week} colSpan={span}>
            {span > 1 ? names[week] : ''}
          </th>
        );
      })}
    </tr>
  );
}

function open({ date }: DayCount): void {
  go(to.search(`since:${date} until:${date}`));
}

function labelOf({ date, count }: DayCount): string {
  return `${plainDay(date)}: ${counted(count, 'memory', 'memories')}`;
}

/** Where the table does not fit, today is visible first. */
function toTheEnd(element: HTMLElement | null): void {
  if (element) element.scrollLeft = element.scrollWidth;
}
