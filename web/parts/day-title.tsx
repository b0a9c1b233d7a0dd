/** The heading of one day in a list: its date and how many items it has. */
import { dayOf, dayTitle } from '../time.ts';

export function DayTitle(props: {
  readonly level: 'h2' | 'h3';
  readonly at: string;
  readonly now: Date;
  readonly count: string;
}) {
  const { level: Heading, at, now, count } = props;
  return (
    <Heading class="day-title">
      <time dateTime={dayOf(at)}>{dayTitle(at, now)}</time>
      {dayOf(at) === dayOf(now.toISOString()) && <span class="badge today">Today</span>}
      <span class="day-count">{count}</span>
    </Heading>
  );
}
