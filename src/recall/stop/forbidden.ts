/**
 * Reads from a memory what exactly it forbids: a command, a name of code, or a path. English only. Returns nothing rather
 * than a guess: a rule with a condition or an exception forbids nothing exactly. Pure.
 */
import type { Memory } from '../../core/index.ts';

/** `change`: edit, write or delete it. `commit`: only put it into a commit. */
type PathAct = 'change' | 'delete' | 'commit';

export type Forbidden =
  /** The first words of a command; its options in any order. */
  | { readonly kind: 'command'; readonly text: string; readonly words: readonly string[] }
  /** Added to code, or installed. */
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'path'; readonly text: string; readonly act: PathAct };

export function forbiddenBy(
  memory: Pick<Memory, 'kind' | 'title' | 'body' | 'reason' | 'facts'>,
): readonly Forbidden[] {
  const { kind, title, body, reason = '', facts } = memory;
  const all = [title, body, reason, ...facts].join('\n');
  if (all.length > LONGEST || EXCEPTION.test(all)) return [];
  const found = kind === 'dead_end' ? deadEnd(title) : sentencesOf(`${title}\n${body}`).flatMap(rule);
  return [...new Map(found.map((one) => [`${one.kind} ${one.text}`, one])).values()];
}

/** A longer entry is an explanation, not a rule. */
const LONGEST = 2000;

const EXCEPTION =
  /\b(?:unless|except(?:ion|ions|ing)?|only (?:if|when|in|on|for|with|after|before|by)|allowed|is fine|are fine|(?:is|are) ok(?:ay)?|ok(?:ay)? (?:in|on|for|to|when|if)|other than|outside(?: of)?|apart from)\b/i;
/** Words of a condition that a command or an edit does not show. */
const CONDITION =
  /\b(?:if|when|whenever|while|until|before|after|during|in|on|at|for|from|to|with|under|inside|against|into|via|by|as root)\b/i;
/** The end of a clause, or words that limit nothing. */
const NEUTRAL =
  /^\s*(?:$|[.!;:,—–(]|- |(?:because|since|again|anymore|any more|directly|anywhere|at all|ever|here|instead|please|manually|by hand)\b|without (?:asking|my|explicit|approval|permission|confirmation)\b|in (?:this|our|the) (?:project|repo|repository|codebase|code base|code|app)\b|in new code\b)/i;
const REASON = /(?:\bbecause\b|\bsince\b|[.!;:—–(]|,\s*(?:it|that|this|they|use|we|which)\b)[\s\S]*$/i;

const NEGATION =
  /\b(?:never(?: ever)?|do not|don['’]t|must not|mustn['’]t|must never|stop|not allowed to)\s+(?:ever\s+)?/i;
const VERBS: readonly (readonly [RegExp, readonly Shape[]])[] = [
  [/^(?:run|running|execute|executing|invoke|invoking|launch|launching|start|starting)\s+/i, ['command']],
  [/^(?:use|using|call|calling)\s+/i, ['command', 'name']],
  [
    /^(?:import|importing|add|adding|install|installing|introduce|introducing|require|requiring|depend on|bring back|reintroduce)\s+/i,
    ['name'],
  ],
  [
    /^(?:edit|editing|touch|touching|change|changing|modify|modifying|overwrite|overwriting|write to|writing to)\s+/i,
    ['change'],
  ],
  [/^(?:delete|deleting|remove|removing)\s+/i, ['delete']],
  [/^(?:commit|committing)\s+/i, ['commit']],
];
type Shape = 'command' | 'name' | PathAct;

function rule(sentence: string): readonly Forbidden[] {
  const passive = PASSIVE.exec(sentence);
  if (passive?.groups) {
    const { quoted, plain, verb = '' } = passive.groups;
    const term = { text: quoted ?? plain ?? '', isQuoted: quoted !== undefined };
    if (!isNeutral(sentence.slice(passive[0].length))) return [];
    return shaped(
      term,
      /^(?:edited|changed|touched|modified)$/i.test(verb) ? ['change'] : ['command', 'name'],
    );
  }
  const [, no] = /^no\s+(?=[`\w@])([\s\S]+)$/i.exec(sentence) ?? [];
  if (no !== undefined)
    return objects(no, ['name', 'command']).filter(({ text }) => isCode(text) || no.startsWith('`'));
  const negation = NEGATION.exec(sentence);
  if (!negation) return [];
  const rest = sentence.slice(negation.index + negation[0].length);
  if (rest.startsWith('`')) return objects(rest, ['command', 'name']);
  const [verb, shapes] = VERBS.find(([pattern]) => pattern.test(rest)) ?? [];
  return verb && shapes ? objects(rest.replace(verb, ''), shapes) : [];
}

const TERM = String.raw`(?:\x60(?<quoted>[^\x60\n]{2,100})\x60|(?<plain>[\w@$./:-]{3,100}))(?:\(\))?`;
const PASSIVE = new RegExp(
  `^${TERM} (?:(?:is|are) (?:forbidden|banned|prohibited|not allowed|off[- ]limits)|must (?:not|never) be (?<verb>used|called|run|imported|edited|changed|touched|modified))`,
  'i',
);

interface Term {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** The objects of a forbidding verb: one, or several with `or` between. What follows must not limit them. */
function objects(given: string, shapes: readonly Shape[]): readonly Forbidden[] {
  const terms: Term[] = [];
  let rest = given;
  for (;;) {
    const next = nextTerm(rest);
    if (!next) return [];
    terms.push(next.term);
    rest = next.rest;
    const joined = /^\s*,?\s*(?:or|nor|and)\s+/i.exec(rest);
    if (!joined) break;
    rest = rest.slice(joined[0].length);
  }
  return isNeutral(rest) ? terms.flatMap((term) => shaped(term, shapes)) : [];
}

const LEAD = /^(?:the|our|any|a|an|(?:the )?(?:files?|anything|code) (?:in|under|below))\s+/i;
const BOUNDARY =
  /^(?:and|or|nor|in|on|at|for|from|to|with|without|if|when|whenever|while|until|before|after|during|because|since|as|so|that|which|again|anymore|any|directly|anywhere|ever|here|instead|by|via|into|under|inside|against|please|manually|it|this|—|–|-)$/i;
const MOST_WORDS = 6;

function nextTerm(given: string): { readonly term: Term; readonly rest: string } | undefined {
  const text = given.replace(LEAD, '');
  const quoted = /^`([^`\n]{2,100})`(?:\(\))?/.exec(text);
  if (quoted) return { term: { text: quoted[1] ?? '', isQuoted: true }, rest: text.slice(quoted[0].length) };
  const words: string[] = [];
  let at = 0;
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    if (BOUNDARY.test(word)) break;
    const bare = word.replace(/[,;:.!)—–]+$/, '');
    if (bare === '') break;
    words.push(bare);
    at = index + bare.length;
    if (bare !== word || words.length > MOST_WORDS) break;
  }
  if (words.length === 0 || words.length > MOST_WORDS) return undefined;
  return { term: { text: words.join(' '), isQuoted: false }, rest: text.slice(at) };
}

/** Whether what follows the object leaves the rule without a condition. */
function isNeutral(rest: string): boolean {
  return NEUTRAL.test(rest) && !CONDITION.test(rest.replace(NEUTRAL, ' ').replace(REASON, ''));
}

const PATH = /^(?:\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)*\/?$/;
/** Words that are programs and also ordinary words or parts of every script. */
const NO_PROGRAMS = new Set(
  'test tests time command source set type read export echo true false cd ls cat it this that them code'.split(
    ' ',
  ),
);

function shaped({ text: given, isQuoted }: Term, shapes: readonly Shape[]): readonly Forbidden[] {
  const text = given.replace(/\(\)$/, '').replace(/\s+/g, ' ').trim();
  const words = text.split(' ');
  return shapes.flatMap((shape): readonly Forbidden[] => {
    switch (shape) {
      case 'command': {
        const [program = ''] = words;
        const isProgram = /^[\w@.+/-]{2,}$/.test(program) && !NO_PROGRAMS.has(program.toLowerCase());
        return isProgram ? [{ kind: 'command', text, words }] : [];
      }
      case 'name':
        return words.length === 1 && text.length >= SHORTEST_NAME && (isQuoted || isCode(text))
          ? [{ kind: 'name', text }]
          : [];
      default:
        return words.length === 1 && PATH.test(text) && /[./]/.test(text) && text.length >= SHORTEST_NAME
          ? [{ kind: 'path', text: text.replace(/^\.\//, ''), act: shape }]
          : [];
    }
  });
}

/** Shorter names are in every file. */
const SHORTEST_NAME = 4;

/** Whether a word is no word of a language: `lodash.merge`, `rotateToken`, `@scope/name`, `left-pad`. */
function isCode(text: string): boolean {
  return /^@?[\w$]+(?:[./:@-]+[\w$]+)+$/.test(text) || /\p{Ll}\p{Lu}|_|\$/u.test(text);
}

const FAILS =
  /^\s+(?:breaks?|broke|fails?|failed|crash(?:es|ed)?|hangs?|hung|leaks?|leaked|deadlocks?|deadlocked|corrupts?|corrupted|loses|lost|drops?|dropped|wipes?|wiped|mangles?|mangled|(?:does|did)(?:n['’]t| not) work|(?:is|was) (?:broken|too slow|unusable|no option)|cannot|can['’]t|times? out|timed out)\b([\s\S]*)$/i;
/** A circumstance that a command or an edit does not show. `on Dates` is what fails, `in CI` is where. */
const CIRCUMSTANCE = /\b(?:if|when|whenever|while|until|unless|in|under|during|inside|at|from|behind)\b/i;

/** `lodash.merge breaks on Dates`, `Tried lodash.merge: it loses Dates`. Only what the title names by itself. */
function deadEnd(title: string): readonly Forbidden[] {
  const said = title.replace(
    /^(?:tried|trying|using|calling|running|importing|use of)\s+(?:to (?:use|run)\s+)?/i,
    '',
  );
  const wasTried = said !== title;
  const quoted = /^`([^`\n]{2,100})`/.exec(said);
  const subject =
    quoted?.[0] ??
    /^[^\s,:;]+(?: [\w@.:/=-]+){0,4}?(?=\s*(?::|$)|\s+(?:break|broke|fail|crash|hang|hung|leak|deadlock|corrupt|lose|lost|drop|wipe|mangle|does|did|is|was|cannot|can['’]t|time))/i.exec(
      said,
    )?.[0];
  if (subject === undefined) return [];
  const term: Term = { text: quoted?.[1] ?? subject, isQuoted: quoted !== null };
  const rest = said.slice(subject.length);
  const fails = FAILS.exec(rest);
  if (
    fails ? CIRCUMSTANCE.test((fails[1] ?? '').replace(REASON, '')) : !(wasTried && /^\s*(?::|$)/.test(rest))
  )
    return [];
  const isOne = !term.text.includes(' ');
  if (isOne && !term.isQuoted && !isCode(term.text)) return [];
  return shaped(term, ['command', 'name']);
}

function sentencesOf(text: string): readonly string[] {
  return text
    .split(/\n+|(?<=[.!?])\s+(?=[\p{Lu}`])/u)
    .map((sentence) => sentence.replace(/^[\s*>-]+/, '').trim())
    .filter(Boolean);
}
