/** Metrics in the Prometheus text format. Labels are route patterns, never paths, so their number stays small. Pure. */

/** Seconds; a search in a large team takes about the middle value. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Timing {
  readonly counts: number[];
  sum: number;
  count: number;
}

interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly value: () => number;
}

export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #timings = new Map<string, Timing>();
  readonly #gauges: Gauge[] = [];

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
  gauge(name: string, help: string, value: () => number): void {
    this.#gauges.push({ name, help, value });
  }

  text(): string {
    const requests = [...this.#requests].map(([labels, n]) => `tidemark_http_requests_total{${labels}} ${n}`);
    return [
      ...head('tidemark_http_requests_total', 'counter', 'Requests answered.'),
      ...requests,
      ...head('tidemark_http_request_seconds', 'histogram', 'Time from the head of a request to its answer.'),
      ...[...this.#timings].flatMap(([labels, timing]) => timingLines(labels, timing)),
      ...this.#gauges.flatMap(({ name, help, value }) => [
        ...head(name, 'gauge', help),
        `${name} ${value()}`,
      ]),
      '',
    ].join('\n');
  }
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
