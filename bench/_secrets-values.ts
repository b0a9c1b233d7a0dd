/**
 * Builds the fake secrets of `bench:secrets` from patterns and word lists, by chance that can be repeated. No value is
 * stored in a file, so secret scanners find nothing in the repository.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Random } from '../test/support/random.ts';

/** A secret as it is shown in the text. It leaks when one of the needles survives redaction. */
export interface Value {
  readonly shown: string;
  readonly needles: readonly string[];
}

export interface Issuer {
  readonly name: string;
  readonly family: string;
  readonly variable: string;
  readonly pattern: string;
  /** The value is recognisable without a name beside it. */
  readonly isBare: boolean;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALNUM = LETTERS + LETTERS.toUpperCase() + DIGITS;
const CLASSES: Readonly<Record<string, string>> = {
  x: DIGITS + 'abcdef',
  X: DIGITS + 'ABCDEF',
  d: DIGITS,
  a: ALNUM,
  l: LETTERS + DIGITS,
  u: LETTERS.toUpperCase() + DIGITS,
  w: `${ALNUM}_-`,
  b: `${ALNUM}+/`,
};
const PART = /\[([^\]]+)\](?:\{(\d+)\})?|\(([^)]+)\)|%g|%([xXdaluwb])(?:\{(\d+)\})?/g;
const UUID = '%x{8}-%x{4}-4%x{3}-[89ab]%x{3}-%x{12}';
/** Passwords of this length or less have no halves worth searching. */
const SHORT = 15;

const WORDS =
  'harbor tiger Sommer Winter blue falcon coffee dragon maple rocket Otter summit Berlin Lisboa pepper monkey violet thunder Cactus lantern biscuit Marble cobalt walnut panda ginger Saturn comet willow pirate'.split(
    ' ',
  );
const SEED_WORDS =
  'abandon ability absorb abstract access account acid acoustic adapt advance airport alcohol amateur amused anchor ancient antenna arctic armor artist athlete auction avocado awesome bamboo banana barrel basket bicycle blanket bottom bracket bronze bubble cactus camera canvas capable carbon castle cattle cement cereal chapter cherry chimney circle citizen clinic cluster coconut column concert copper cotton cradle crater cricket crystal cushion damage daring decade deliver dentist desert device dinosaur dolphin donkey dragon eagle easily echo educate elbow elegant embark empower enroll entire erosion escape eternal evoke exhaust fabric faculty fantasy fatigue fiber fiction flavor forest fossil frozen gadget galaxy garment gentle giraffe glimpse goddess gorilla gravity grocery guitar hamster harvest hazard hedgehog helmet hidden hockey horror hybrid icon immense impulse inflict ivory jaguar jealous jungle kangaroo kidney kitchen laptop lecture lemon liberty lizard lobster lunar mammal mango marble matrix meadow mixture mosquito mushroom mystery napkin nephew noodle nuclear oblige october olympic orbit orphan oyster paddle panther pelican phrase pigeon pottery puzzle pyramid quantum rabbit raccoon rebel rhythm rocket saddle salmon scorpion sibling siren slender spider squirrel stadium sunset surprise symptom talent tattoo thunder timber tobacco tomato tornado trophy tunnel turtle umbrella unfold unique vacuum velvet venture vibrant violin vital voyage walnut warrior whisper window wrestle yellow zebra'.split(
    ' ',
  );

/** Replaces the parts of a pattern such as `ghp_%a{36}` by characters of their class. */
export function expand(pattern: string, random: Random): string {
  return pattern.replaceAll(
    PART,
    (part, own?: string, times?: string, choice?: string, kind?: string, count?: string) => {
      if (part === '%g') return expand(UUID, random);
      if (choice) return pick(choice.split('|'), random);
      return characters(
        own ? members(own) : (CLASSES[kind ?? ''] ?? ''),
        Number(times ?? count ?? 1),
        random,
      );
    },
  );
}

export function issuers(): readonly Issuer[] {
  const file = join(import.meta.dirname, 'data', 'secrets', 'issuers.txt');
  let family = '';
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('## ')) family = line.slice(3);
      if (line === '' || line.startsWith('#')) return [];
      const [name = '', variable = '', ...pattern] = line.split(' | ');
      const isBare = name.startsWith('*');
      return [{ name: name.replace('*', ''), family, variable, pattern: pattern.join(' | '), isBare }];
    });
}

const BARE = issuers().filter(({ isBare, pattern }) => isBare && !/[ :/$|]/.test(pattern));

/** A value of a kind that the templates name. */
export function valueOf(kind: string, random: Random): Value {
  const [name = '', of = ''] = kind.split(/:(.*)/s);
  if (name === 'b64' && of) return plainValue(base64(inner(of, random)));
  if (name.startsWith('wrap')) return wrapped(name.slice(4), valueOf(of, random).shown, random);
  if (name.startsWith('pem')) return pem(name.slice(3), of, random);
  if (name.startsWith('seed')) return seed(name.slice(4), random);
  if (name === 'issuer') return plainValue(expand(pick(BARE, random).pattern, random));
  if (name === 'jwt' || name === 'jwe') return plainValue(jwt(name === 'jwe' ? 5 : 3, random));
  if (name === 'pw') return plainValue(random.below(2) ? human(random) : strong('!@#%^*-_+=?', random));
  if (name === 'human') return plainValue(human(random));
  if (name === 'pass')
    return plainValue(
      words(WORDS, 4, random)
        .join(pick([' ', '-'], random))
        .toLowerCase(),
    );
  if (name === 'shpw')
    return plainValue(random.below(2) ? human(random).replaceAll('!', '.') : strong('-_.+=@', random));
  if (name === 'upw')
    return plainValue(random.below(2) ? human(random).replaceAll(/[!#]/g, '-') : strong('-_.~', random));
  if (name === 'cpw') return plainValue(strong('!@#%^*-_+?', random));
  if (name === 'opw') return plainValue(strong('_#', random));
  if (name === 'hex') return plainValue(expand(`%x{${pick(['32', '40', '64'], random)}}`, random));
  if (name === 'tok')
    return plainValue(expand(pick(['%a{32}', '%w{43}', '%a{40}', '%a{24}', '%x{40}'], random), random));
  const pattern = PATTERNS[name];
  if (!pattern) throw new Error(`unknown kind of value: ${kind}`);
  return plainValue(expand(pattern, random));
}

/** Kinds of values with one pattern. */
const PATTERNS: Readonly<Record<string, string>> = {
  hex48: '%x{48}',
  hex64: '%x{64}',
  tok24: '%a{24}',
  ltok: '%l{7}',
  wtok: '%w{43}',
  wtok68: '%w{68}',
  tgtok: 'AA%w{33}',
  b64: '%b{40}',
  b64k: '%b{86}==',
  b64k32: '%b{43}=',
  b64url: '%w{64}',
  b64line: '%b{64}',
  b64long: '%b{400}',
  sas: '%a{20}%2B%a{22}%3D',
  uuid: '%g',
  totp: '[A-Z2-7]{32}',
  totpsp: '[a-z2-7]{4} [a-z2-7]{4} [a-z2-7]{4} [a-z2-7]{4} [a-z2-7]{4} [a-z2-7]{4} [a-z2-7]{4} [a-z2-7]{4}',
  pin: '%d{6}',
  backup: '%x{5}-%x{5}',
  apr1: '$apr1$%a{8}$%a{22}',
  shadow: '$6$%a{16}$%a{86}',
};

function inner(of: string, random: Random): string {
  if (of === 'assign')
    return `${pick(['DB_PASSWORD', 'API_TOKEN', 'SECRET_KEY'], random)}=${valueOf('tok', random).shown}\n`;
  if (of === 'userpass') return `${pick(['admin', 'deploy', 'ci'], random)}:${valueOf('pw', random).shown}`;
  if (of === 'json') return JSON.stringify({ user: 'admin', password: valueOf('pw', random).shown });
  return valueOf(of, random).shown;
}

function human(random: Random): string {
  const [first = '', second = ''] = words(WORDS, 2, random);
  const number = expand('%d{2}', random);
  const year = `20${expand('[012]%d', random)}`;
  return pick(
    [
      `${first}${number}${second}`,
      `${capital(first)}${capital(second)}${year}!`,
      `${first}-${second}-${number}`,
      `${capital(first)}${second}#${number}`,
      `${leet(first)}${leet(second)}${number}`,
      `${capital(first)}_${second}${year}`,
    ],
    random,
  );
}

function strong(signs: string, random: Random): string {
  const own = random.shuffle([
    ...characters(ALNUM, 11 + random.below(7), random),
    ...characters(signs, 3, random),
  ]);
  // A sign at either end may be taken for punctuation of the text.
  return `${expand('%a', random)}${own.join('')}${expand('%d%a', random)}`;
}

function leet(word: string): string {
  return word.toLowerCase().replaceAll('e', '3').replaceAll('o', '0').replaceAll('a', '4');
}

function wrapped(how: string, token: string, random: Random): Value {
  const width = Math.max(12, Math.min(64, Math.floor(token.length / (2 + random.below(2)))));
  const pieces = token.match(new RegExp(`.{1,${width}}`, 'gs')) ?? [];
  const glue =
    { n: '\n', indent: '\n  ', slash: '\\\n', plus: '" +\n  "', py: '"\n    "', box: ' │\n│ ' }[how] ?? '\n';
  return { shown: pieces.join(glue), needles: pieces.filter(({ length }) => length >= 8) };
}

function pem(how: string, label: string, random: Random): Value {
  const count = 4 + random.below(8);
  const body = [
    `MII${expand('%b{61}', random)}`,
    ...Array.from({ length: count }, () => expand('%b{64}', random)),
    expand('%b{30}==', random),
  ];
  const [begin, end] = [`-----BEGIN ${label}-----`, `-----END ${label}-----`];
  const lines = how === 'head' ? [begin, ...body] : [begin, ...body, end];
  const needles = [body[0] ?? '', body[count] ?? '', body[count + 1] ?? ''];
  if (how === 'esc') return { shown: lines.join('\\n'), needles };
  if (how === 'join') return { shown: lines.join(''), needles };
  if (how === 'space') return { shown: lines.join(' '), needles };
  if (how === 'indent') return { shown: lines.map((line) => `    ${line}`).join('\n'), needles };
  if (how === 'quote') return { shown: lines.map((line) => `"${line}\\n"`).join(' +\n'), needles };
  return { shown: lines.join('\n'), needles };
}

function seed(how: string, random: Random): Value {
  const count = how === '24' ? 24 : 12;
  const chosen = words(SEED_WORDS, count, random);
  const numbered = chosen.map((word, i) => (i === 0 ? word : `${i + 1}. ${word}`));
  if (how === 'num') return { shown: numbered.join('\n'), needles: thirds(numbered, '\n') };
  if (how === 'json') return { shown: chosen.join('", "'), needles: thirds(chosen, '", "') };
  return { shown: chosen.join(' '), needles: thirds(chosen, ' ') };
}

function thirds(list: readonly string[], glue: string): readonly string[] {
  const size = 4;
  return Array.from({ length: list.length / size }, (_, i) =>
    list.slice(i * size, (i + 1) * size).join(glue),
  );
}

function jwt(parts: number, random: Random): string {
  const head = base64url(JSON.stringify({ alg: pick(['HS256', 'RS256'], random), typ: 'JWT' }));
  const body = base64url(
    JSON.stringify({ sub: expand('%d{8}', random), iat: 1_790_000_000, role: pick(WORDS, random) }),
  );
  const rest = Array.from({ length: parts - 2 }, () => expand('%w{43}', random));
  return [head, body, ...rest].join('.');
}

/** A long value leaks when either half survives: half a key is enough to guess the rest, or to see what it was. */
export function plainValue(shown: string): Value {
  if (shown.length <= SHORT) return { shown, needles: [shown] };
  const half = Math.floor(shown.length / 2);
  return { shown, needles: [shown.slice(0, half), shown.slice(half)] };
}

export function pick<T>(from: readonly T[], random: Random): T {
  const found = from[random.below(from.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

function words(from: readonly string[], count: number, random: Random): readonly string[] {
  return random.shuffle(from).slice(0, count);
}

function characters(from: string, count: number, random: Random): string {
  return Array.from({ length: count }, () => from[random.below(from.length)]).join('');
}

/** The characters of a class such as `A-Z2-7`. */
function members(text: string): string {
  return text.replaceAll(/(\w)-(\w)/g, (_, from: string, to: string) =>
    Array.from({ length: to.charCodeAt(0) - from.charCodeAt(0) + 1 }, (__, i) =>
      String.fromCharCode(from.charCodeAt(0) + i),
    ).join(''),
  );
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
