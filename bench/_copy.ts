/** Loads many rows into PostgreSQL with COPY, through a `psql` process. Quotes the values; knows no table. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export class Copy {
  readonly #child;
  readonly #ended;
  #rows: string[] = [];

  /** `into`: a table and its columns. */
  constructor(psql: string, database: string, into: string) {
    const url = new URL(database);
    const statement = `COPY ${into} FROM STDIN`;
    this.#child = spawn(psql, ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--command', statement], {
      stdio: ['pipe', 'ignore', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        PGHOST: url.hostname,
        PGPORT: url.port,
        PGUSER: url.username,
        PGPASSWORD: url.password,
        PGDATABASE: url.pathname.slice(1),
        PGOPTIONS: '-c synchronous_commit=off',
      },
    });
    this.#ended = once(this.#child, 'exit');
  }

  /** Resolves when there is room for more. */
  async row(values: readonly unknown[]): Promise<void> {
    this.#rows.push(values.map(field).join('\t'));
    if (this.#rows.length >= AT_ONCE) await this.#flush();
  }

  async end(): Promise<void> {
    await this.#flush();
    this.#child.stdin.end();
    const [code] = (await this.#ended) as [number | null];
    if (code !== 0) throw new Error(`psql exited with ${code}`);
  }

  async #flush(): Promise<void> {
    const text = this.#rows.map((row) => `${row}\n`).join('');
    this.#rows = [];
    if (!this.#child.stdin.write(text)) await once(this.#child.stdin, 'drain');
  }
}

const AT_ONCE = 500;
const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function field(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  if (Buffer.isBuffer(value)) return `\\\\x${value.toString('hex')}`;
  const text = Array.isArray(value) ? `{${value.map(element).join(',')}}` : String(value);
  return text.replace(/[\\\t\n\r]/g, (sign) => ESCAPED[sign] ?? sign);
}

function element(value: unknown): string {
  return `"${String(value).replace(/["\\]/g, String.raw`\$&`)}"`;
}
