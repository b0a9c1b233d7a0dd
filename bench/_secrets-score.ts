/** Redacts planted and harmless texts at function level, and counts what survived by class, by group and overall. */
import { redact, redactDeep } from '../src/privacy/index.ts';
import { ISSUERS, isStructured, type Harmless, type Planted } from './_secrets-plant.ts';

export interface Rate {
  readonly planted: number;
  readonly caught: number;
}

export interface Rates {
  readonly overall: Rate;
  readonly issuers: Rate;
  readonly others: Rate;
  readonly groups: ReadonlyMap<string, Rate>;
  readonly classes: ReadonlyMap<string, Rate>;
}

export interface FalseAlarm {
  readonly where: string;
  /** The changed text around the first replacement. */
  readonly excerpt: string;
}

const MARK = '[redacted:';
const AROUND = 50;
/** Size of the pieces in which a file is redacted: about the length of a long answer or tool output. */
const PIECE_CHARACTERS = 4000;

/** Whether a needle of the secret is left after redaction. */
export function survives({ channel, text, needles }: Planted): boolean {
  const clean = isStructured(channel) ? stringsOf(redactDeep(JSON.parse(text)).value) : redact(text).text;
  return needles.some((needle) => clean.includes(needle));
}

export function ratesOf(all: readonly Planted[], isLeak: (one: Planted) => boolean): Rates {
  const marked = all.map((one) => ({ one, isCaught: !isLeak(one) }));
  const rate = (list: typeof marked): Rate => ({
    planted: list.length,
    caught: list.filter(({ isCaught }) => isCaught).length,
  });
  const by = (key: 'group' | 'class'): ReadonlyMap<string, Rate> => {
    const parts = Map.groupBy(marked, ({ one }) => one[key]);
    return new Map([...parts].map(([name, list]) => [name, rate(list)]));
  };
  return {
    overall: rate(marked),
    issuers: rate(marked.filter(({ one }) => one.group === ISSUERS)),
    others: rate(marked.filter(({ one }) => one.group !== ISSUERS)),
    groups: by('group'),
    classes: by('class'),
  };
}

export function falseAlarms(texts: readonly Harmless[]): readonly FalseAlarm[] {
  return texts.flatMap(({ class: where, text }) => alarmIn(where, text));
}

/** Redacts a file piece by piece, as a session shows it. Returns an alarm for each replacement. */
export function alarmsInFile(where: string, text: string): readonly FalseAlarm[] {
  return piecesOf(text).flatMap((piece) => {
    const clean = redact(piece).text;
    // Private spans are the user's own marks, no guess of a detector.
    return [...clean.matchAll(/\[redacted:(?!private\])/g)]
      .slice(piece.split(MARK).length - 1) // a file may contain the mark itself
      .map(({ index }) => ({ where, excerpt: excerptAt(clean, index) }));
  });
}

function alarmIn(where: string, text: string): readonly FalseAlarm[] {
  const clean = redact(text).text;
  if (clean === text) return [];
  return [{ where, excerpt: excerptAt(clean, Math.max(0, clean.indexOf(MARK))) }];
}

function excerptAt(text: string, index: number): string {
  return text.slice(Math.max(0, index - AROUND), index + AROUND).replaceAll(/\s+/g, ' ');
}

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const line of text.split(/(?<=\n)/)) {
    if (piece.length + line.length > PIECE_CHARACTERS) {
      pieces.push(piece);
      piece = '';
    }
    piece += line;
  }
  return [...pieces, piece];
}

/** All strings of a JSON value, keys included, one per line. */
function stringsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .map(([key, item]) => `${key}\n${stringsOf(item)}`)
    .join('\n');
}
