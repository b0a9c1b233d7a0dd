/**
 * Plants fake secrets in the texts of coding sessions, and makes harmless texts beside them. Everything is split into a
 * development half and a held-back half; a third of the templates and issuers occur only in the held-back half.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomFrom, type Random } from '../test/support/random.ts';
import { expand, issuers, pick, plainValue, valueOf, type Value } from './_secrets-values.ts';

export type Half = 'dev' | 'held';
/** Where the text occurs. `input`, `mcp`, `key` and `tool` are JSON. */
export type Channel = 'prompt' | 'answer' | 'command' | 'output' | 'error' | 'write' | 'edit' | Structured;
export type Structured = 'input' | 'mcp' | 'key' | 'tool';

export interface Planted {
  readonly half: Half;
  readonly class: string;
  readonly group: string;
  readonly channel: Channel;
  readonly text: string;
  readonly secret: string;
  /** The secret leaks when one of these survives. */
  readonly needles: readonly string[];
}

export interface Harmless {
  readonly half: Half;
  readonly class: string;
  readonly text: string;
}

interface Template {
  readonly class: string;
  readonly group: string;
  readonly channel: string;
  readonly text: string;
}

export const ISSUERS = 'issuer formats';
const SEED = 17;
const STRUCTURED: ReadonlySet<string> = new Set<Structured>(['input', 'mcp', 'key', 'tool']);
/** A shared template or issuer is used so often in each half, one that is held back twice. */
const SHARED: readonly Half[] = ['dev', 'dev', 'held'];
const HELD_BACK: readonly Half[] = ['held', 'held'];

export function planted(): readonly Planted[] {
  return [...ofIssuers(), ...templatesIn('other.txt').flatMap((template, i) => ofTemplate(template, i))];
}

export function harmless(): readonly Harmless[] {
  return templatesIn('harmless.txt').flatMap((template, i) => {
    return halvesOf(template).map((half, n) => {
      const random = randomOf(`harmless ${i} ${n}`);
      return { half, class: template.class, text: filled(template.text, fillers(random, {})) };
    });
  });
}

/** A text without fillers is the same every time, so it occurs in one half only. */
function halvesOf({ text }: Template): readonly Half[] {
  if (!text.includes('‹')) return [hash(text) % 2 === 0 ? 'dev' : 'held'];
  return isHeldBack(text) ? ['held'] : ['dev', 'held'];
}

export function isStructured(channel: Channel): channel is Structured {
  return STRUCTURED.has(channel);
}

function ofIssuers(): readonly Planted[] {
  const contexts = templatesIn('contexts.txt');
  const bare = contexts.filter((context) => context.class === 'bare');
  const named = contexts.filter((context) => context.class === 'named');
  return issuers().flatMap((issuer, i) => {
    const halves = isHeldBack(issuer.name) ? HELD_BACK : SHARED;
    return halves.flatMap((half, n) => {
      const random = randomOf(`${issuer.name} ${n}`);
      // Every third value that is recognisable alone has its name beside it all the same.
      const all = issuer.isBare && (i + n) % 3 !== 0 ? bare : named;
      const own = half === 'held' ? all : all.filter(({ text }) => !isHeldBack(text));
      const template = { ...pick(own, random), class: issuer.family, group: ISSUERS };
      const value = plainValue(expand(issuer.pattern, random));
      return plant(template, half, random, { ENV: issuer.variable }, () => value);
    });
  });
}

function ofTemplate(template: Template, index: number): readonly Planted[] {
  const halves = isHeldBack(template.text) ? HELD_BACK : SHARED;
  return halves.flatMap((half, n) => {
    const random = randomOf(`${template.class} ${index} ${n}`);
    return plant(template, half, random, {}, (kind) => valueOf(kind, random));
  });
}

/** One text, once per secret in it. */
function plant(
  template: Template,
  half: Half,
  random: Random,
  own: Readonly<Record<string, string>>,
  make: (kind: string) => Value,
): readonly Planted[] {
  const values = new Map<string, Value>();
  const words = fillers(random, own);
  const fill = (text: string): string =>
    filled(text, words).replaceAll(/«([^»]+)»/g, (_, kind: string) => {
      const value = values.get(kind) ?? make(kind);
      values.set(kind, value);
      return value.shown;
    });
  const channel = template.channel as Channel; // the files name only these
  const text = isStructured(channel)
    ? JSON.stringify(fillDeep(JSON.parse(template.text), fill))
    : fill(template.text);
  return [...values.values()].map(({ shown, needles }) => ({
    half,
    class: template.class,
    group: template.group,
    channel,
    text,
    secret: shown,
    needles,
  }));
}

function fillDeep(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item) => fillDeep(item, fill));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [fill(key), fillDeep(item, fill)]));
}

function filled(text: string, words: Readonly<Record<string, string>>): string {
  return text.replaceAll(/‹([^›]+)›/g, (_, name: string) => {
    const word = words[name];
    if (word === undefined) throw new Error(`unknown filler: ${name}`);
    return word;
  });
}

const NAMES =
  'db password|api token|app secret|secret key|auth token|admin password|client secret|access token|smtp password|jwt secret|encryption key|service api key|redis password|session secret|signing key'.split(
    '|',
  );

function fillers(random: Random, own: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const name = pick(NAMES, random).split(' ');
  const camel = name
    .map((word, i) => (i === 0 ? word : word.slice(0, 1).toUpperCase() + word.slice(1)))
    .join('');
  const one = (list: string): string => pick(list.split(' '), random);
  return {
    host: `${one('db cache mail git api intern')}.${one('example acme contoso northwind')}.${one('com io net dev')}`,
    user: one('admin deploy anna root svc_app miguel postgres builder'),
    db: one('orders shop analytics inventory billing'),
    svc: one('gateway worker importer mailer payments reports'),
    env: one('staging production local'),
    ip: expand('10.%d.1%d.2%d', random),
    port: one('3000 5432 8080 9090 6379'),
    n: expand('[1-9]%d{2}', random),
    date: expand('2026-0[1-9]-1%dT1%d:2%d:3%dZ', random),
    uuid: expand('%g', random),
    hex: expand('%x{32}', random),
    hex7: expand('%x{7}', random),
    hex12: expand('%x{12}', random),
    hex40: expand('%x{40}', random),
    hex64: expand('%x{64}', random),
    sri: expand('sha512-%b{86}==', random),
    b64: expand('%b{120}', random),
    b64long: expand('%b{600}', random),
    b64url: expand('%w{86}', random),
    alnum: expand('%a{21}', random),
    ulid: expand('01[A-HJKMNP-TV-Z0-9]{24}', random),
    xs: 'x'.repeat(36),
    lower: expand('[a-z]{5}', random),
    pod: expand('[a-z0-9]{9}-[a-z0-9]{5}', random),
    digits: expand('[1-9]%d{11}', random),
    upper: expand('%u{8}', random),
    color: expand('#%x{6}', random),
    akid: expand('AKIA[A-Z2-7]{16}', random),
    SECRET: name.join('_').toUpperCase(),
    secret_var: name.join('_'),
    'secret-kebab': name.join('-'),
    secretDotted: name.join('.'),
    secretVar: camel,
    ...own,
  };
}

function templatesIn(file: string): readonly Template[] {
  const text = readFileSync(join(import.meta.dirname, 'data', 'secrets', file), 'utf8');
  const found: Template[] = [];
  let head = { class: '', group: '' };
  for (const block of text.split(/^(?=(?:## |= ))/m)) {
    const [first = '', ...rest] = block.replace(/\n$/, '').split('\n');
    if (first.startsWith('## ')) {
      const [name = '', group = ''] = first.slice(3).split(' | ');
      head = { class: name, group };
    } else if (first.startsWith('= ')) {
      const own = rest.join('\n').replaceAll('ˋ', '`').replaceAll('^[', '\u001B');
      found.push({ ...head, channel: first.slice(2), text: own });
    }
  }
  return found;
}

function isHeldBack(key: string): boolean {
  return hash(`held ${key}`) % 3 === 0;
}

function randomOf(key: string): Random {
  return randomFrom(hash(key) ^ SEED);
}

/** FNV-1a */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return (value ^ (value >>> 15)) >>> 0;
}
