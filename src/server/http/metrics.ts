/**
 * Metrics in the Prometheus text format. Labels are route patterns, error codes and tables, never a path, a team or a
 * member, so their number stays small and no team is shown to another.
 */

/** Seconds; a search in a large team takes about the middle value. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Timing {
  readonly counts: number[];
  sum: number;
  count: number;
}

type Labels = Readonly<Record<string, string>>;
/** One value, several with labels, or none while it is unknown. */
type Reading = number | undefined | readonly { readonly labels: Labels; readonly value: number }[];

interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly value: () => Reading;
}

export interface Counter {
  add(by: number, labels?: Labels): void;
}

export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #timings = new Map<string, Timing>();
  readonly #gauges: Gauge[] = [];
  readonly #refreshes: (() => Promise<void>)[] = [];

  observe(method: string, route: string, status: number, seconds: number): void {
    const labels = `method="${method}",route="${escaped(route)}"`;
    const key = `${labels},status="${status}"`;
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
    const timing = this.#timings.get(labels) ?? { counts: BUCKETS.map(() => 0), sum: 0, count: 0 };
    this.#timings.set(labels, timing);
    for (const [i, most] of BUCKETS.entries())
      if (seconds <= most) timing.counts[i] = (timing.counts[i] ?? 0) + 1;
    timing.sum += seconds;
    timing.count += 1;
  }

  /** Adds a value that is read with every scrape. */
  gauge(name: string, help: string, value: () => Reading, type: Gauge['type'] = 'gauge'): void {
    this.#gauges.push({ name, help, type, value });
  }

  /** Adds a number that only grows. The labels are a closed set. */
  counter(name: string, help: string): Counter {
    const counts = new Map<string, { readonly labels: Labels; value: number }>();
    this.gauge(name, help, () => (counts.size === 0 ? 0 : [...counts.values()]), 'counter');
    return {
      add: (by, labels = {}) => {
        const key = labelsOf(labels);
        const found = counts.get(key) ?? { labels, value: 0 };
        found.value += by;
        counts.set(key, found);
      },
    };
  }

  /** Adds work before a scrape, which brings slow values up to date. */
  refresh(work: () => Promise<void>): void {
    this.#refreshes.push(work);
  }

  async scrape(): Promise<string> {
    await Promise.all(this.#refreshes.map((work) => work()));
    return this.text();
  }

  text(): string {
    const requests = [...this.#requests].map(([labels, n]) => `tidemark_http_requests_total{${labels}} ${n}`);
    return [
      ...head('tidemark_http_requests_total', 'counter', 'Requests answered.'),
      ...requests,
      ...head('tidemark_http_request_seconds', 'histogram', 'Time from the head of a request to its answer.'),
      ...[...this.#timings].flatMap(([labels, timing]) => timingLines(labels, timing)),
      ...this.#gauges.flatMap(({ name, help, type, value }) => [
        ...head(name, type, help),
        ...valueLines(name, value()),
      ]),
      '',
    ].join('\n');
  }
}

function valueLines(name: string, value: Reading): readonly string[] {
  if (value === undefined) return [];
  if (typeof value === 'number') return [`${name} ${value}`];
  return value.map((one) => `${name}${labelsOf(one.labels)} ${one.value}`);
}

function labelsOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function head(name: string, type: string, help: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function timingLines(labels: string, { counts, sum, count }: Timing): readonly string[] {
  const name = 'tidemark_http_request_seconds';
  return [
    ...BUCKETS.map((most, i) => `${name}_bucket{${labels},le="${most}"} ${counts[i]}`),
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${sum}`,
    `${name}_count{${labels}} ${count}`,
  ];
}

function escaped(label: string): string {
  return label.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`));
}
