/**
 * Finds text that names or judges a person. Prefers a false alarm to a miss, because what it finds only stays on this
 * machine until the user shares it. Code is ignored. Pure.
 */
import { AMBIGUOUS_NAMES, GIVEN_NAMES } from './_given-names.ts';

/** People that the caller knows: authors of the repository, members of the team. */
export interface KnownPerson {
  readonly name: string;
  readonly email?: string;
}

/** Code, addresses and paths, in which a name is not a person. */
const CODE = /```[\s\S]*?```|`[^`\n]*`|\bhttps?:\/\/\S+|(?<![\w@])@?[\w.-]{0,80}\/[\w./@:-]+/g;
const EMAIL = /(?<![\w.+-])([\w.+-]{1,64})@((?:[\w-]{1,63}\.){1,8}[a-z]{2,24})/giu;
/** Addresses of a role or of an example. */
const ROLE =
  /^(?:no-?reply|do-?not-?reply|git|info|support|admin|root|security|postmaster|webmaster|hello|contact|help|sales|team|user|username|you|me|name|foo|bar|test|example)$/i;
const EXAMPLE_DOMAIN = /(?:^|\.)(?:example(?:\.\w+)?|test|invalid|localhost|local)$/i;
const MENTION = /(?<![\w@.`/)-])@([A-Za-z][\w-]{1,38})(?![\w/(.-]*[/(])/g;
/** Words after @ that are no people: annotations, CSS rules, tags of packages and chats. */
const NO_MENTION = new Set(
  `alpha author beta canary channel charset component container default deprecated directive entity everyone example extend font
  fontface here import include injectable input internal keyframes latest layer license link main media mixin module namespace
  next output override page param params pipe private property public readonly rc return returns see service since stable
  staticmethod classmethod dataclass pytest supports tailwind template test throws todo ts type types use version view`.split(
    /\s+/,
  ),
);

const TITLE = /\b(?:Mr|Mrs|Ms|Dr|Prof|Herr|Frau|Monsieur|Madame|Mme|Señora?|Signora?)\.?\s+\p{Lu}\p{L}+/u;
const HONORIFIC = /[\p{Script=Han}\p{Script=Katakana}]{1,6}(?:さん|くん|ちゃん|先輩|さま)/u;
/** A memory about software has no reason to say one of these. */
const PRONOUN = /(?<![\w'’-])(?:he|she|him|his|hers?|himself|herself)(?![\w'’-]|\/)/i;

/** Said of people and not of programs. */
const HUMAN_VERB =
  'said|told|thinks|thought|believes|complained|complains|promised|insisted|insists|argued|argues|mentioned|admitted|apologi[sz]ed|hates|loves|dislikes|likes|forgot|refuses|refused|resigned|suggested|asked|prefers|preferred|wants|wanted|agreed|disagrees|disagreed|reviewed|approved|wrote|decided|knows|sagt|sagte|meint|meinte|findet|glaubt|wollte|dice|dijo|cree|quiere|pense|veut|croit|ha detto|a dit|disse';
/** Said after a name: `Nadja's code`. */
const HUMAN_NOUN =
  'code|review|reviews|pull request|PR|PRs|branch|idea|ideas|opinion|advice|fault|mistake|mistakes|laptop|machine|team|work|account|desk|boss|style|proposal|feedback|attitude|fix|commit|commits|request|wish|preference|patch|design|opinion|taste|approach';
const JUDGING =
  "slow|lazy|late|careless|sloppy|incompetent|stupid|dumb|clueless|useless|annoying|rude|arrogant|stubborn|difficult|unreliable|unprofessional|toxic|weak|bad|terrible|awful|inexperienced|confused|angry|frustrated|upset|lost|wrong|great|brilliant|smart|nice|always|never|often|usually|keeps|tends|cannot|can[’']t|doesn[’']t|does not|struggles|fails|forgets|ignores|breaks|overcomplicates|overengineers";
const STRONG_JUDGING =
  'lazy|careless|sloppy|incompetent|stupid|dumb|clueless|annoying|rude|arrogant|stubborn|unprofessional|toxic|inexperienced|angry|frustrated|upset|impatient|confused|idiots?|morons?|fools?';
/** People without a name. */
const PERSON_NOUN =
  'colleagues?|co-?workers?|teammates?|boss|managers?|team lead|tech lead|cto|ceo|interns?|juniors?|seniors?|contractors?|freelancers?|predecessors?|new (?:guy|hire)|guys?|consultants?|apprentices?|trainees?|recruiters?';
const AMBIGUOUS_PERSON =
  'users?|clients?|customers?|developers?|devs?|reviewers?|maintainers?|authors?|admins?|person|people|someone|designers?|testers?';

const WORDS_BETWEEN = "(?:[ ,]+[\\w’'-]+){0,5}?[ ,]+";
const JUDGED = new RegExp(
  `\\b(?:${PERSON_NOUN})\\b${WORDS_BETWEEN}(?:${JUDGING}|${HUMAN_VERB})\\b|\\b(?:${AMBIGUOUS_PERSON})\\b${WORDS_BETWEEN}(?:${STRONG_JUDGING})\\b|\\b(?:${STRONG_JUDGING})\\b${WORDS_BETWEEN}(?:${PERSON_NOUN}|${AMBIGUOUS_PERSON})\\b`,
  'i',
);
const AFTER_NAME = new RegExp(
  `^(?:['’]s?\\s+(?:${HUMAN_NOUN})\\b|\\s+(?:\\w+ly\\s+)?(?:${HUMAN_VERB})\\b|\\s+(?:is|was|are|were)\\s+(?:\\w+\\s+)?(?:${JUDGING})\\b|\\s+(?:${JUDGING})\\b)`,
  'i',
);
/** Only people take these; also for a name that no list has. */
const SURELY_HUMAN = new RegExp(
  `^(?:['’]s\\s+(?:opinion|advice|fault|mistakes?|laptop|desk|boss|attitude|taste|feedback|pull request|PRs?|reviews?|ideas?)\\b|\\s+(?:said|told|thinks|thought|believes|complained|promised|insisted|argued|mentioned|admitted|apologi[sz]ed|hates|loves|dislikes|forgot|resigned|disagrees|disagreed|sagte|meint|meinte|findet|dijo|cree|pense|croit|disse)\\b)`,
  'i',
);
const BEFORE_NAME =
  /(?:\b(?:ask|asked|asking|tell|told|ping|call|thanks to|according to|blame|mit|avec)\s+)$/i;
const CAPITALISED = /(?<![\p{L}\p{N}_@./-])\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)?(?![\p{L}\p{N}_/(-]|\.\w)/gu;

/** Capitalised words that surely are no people, although a human verb may follow. */
const NO_PERSON = new Set(
  `Claude Codex Copilot Gemini Cursor Anthropic Google Microsoft Apple Amazon Oracle Stripe Github Gitlab Docker Kubernetes
  Postgres Redis Kafka Nginx Apache Linux Windows Debian Ubuntu Android Chrome Firefox Safari Node Deno Bun Rust Python Java
  Kotlin Swift Scala Ruby Rails Django Flask Laravel Spring React Angular Svelte Vue Next Nuxt Vite Webpack Rollup Jest Vitest
  Mocha Cypress Playwright Prettier Eslint Biome Terraform Ansible Helm Prisma Drizzle Hono Express Fastify Tailwind Sentry
  Grafana Prometheus The This That It They We You I One Your My Our Its Their His Her Each Every Nobody Everyone Someone Users User Clients Client Tests
  Test Server Code Docs Team Nothing Everything What Which Who Author Reviewer Agent Model Customers Customer Support Legal
  Security Marketing Sales Finance Product Design Management Compiler Linter Parser Router Monday Tuesday Wednesday Thursday
  Friday Saturday Sunday January February March April May June July August September October November December`.split(
    /\s+/,
  ),
);
/** Words of an author's name that name no one. */
const NO_NAME =
  /^(?:root|admin|administrator|user|test|tester|tests|dev|developer|build|builds|ci|bot|github|gitlab|actions?|deploy|release|team|unknown|author|example|the|and|von|van|de|del|der|la|le|di|da|dos|bin|ibn|mac|mc|jr|sr|system|service|account|web|app|local|localhost|name|your|you|me|claude|codex|copilot|renovate|dependabot)$/i;
const SHORTEST_HANDLE = 5;

/** Returns why the text names or judges a person, in words for the user; undefined if it does not. */
export function personIn(text: string, known: readonly KnownPerson[] = []): string | undefined {
  const plain = text.replace(CODE, ' ');
  return (
    knownPerson(text, plain, known) ??
    address(plain) ??
    mention(plain) ??
    givenName(plain) ??
    (TITLE.test(plain) || HONORIFIC.test(plain) ? 'names a person' : undefined) ??
    (PRONOUN.test(plain) ? 'refers to a person' : undefined) ??
    (JUDGED.test(plain) ? 'judges a person' : undefined)
  );
}

function knownPerson(text: string, plain: string, known: readonly KnownPerson[]): string | undefined {
  for (const { name, email } of known) {
    if (email && email.includes('@') && text.toLowerCase().includes(email.toLowerCase()))
      return `names ${name}`;
    if (/\[bot\]|\bbot\b/i.test(name)) continue;
    const parts = name.split(/[\s,.]+/).filter((part) => part.length > 1 && !NO_NAME.test(part));
    const isSpaced = /\s/.test(name.trim());
    if (parts.length > 1 && isSpaced && hasWord(plain, name.trim(), /\p{Lu}/u.test(name) ? '' : 'i'))
      return `names ${name}`;
    if (parts.some((part) => isNamed(plain, part))) return `names ${name}`;
    const handle = email?.split('@')[0]?.replace(/^\d+\+/, '') ?? '';
    const isHandle = handle.length >= SHORTEST_HANDLE && !NO_NAME.test(handle) && !ROLE.test(handle);
    // A handle that is also an ordinary word (`build`, `platform`) does not name anyone by itself.
    if (isHandle && /[\d._]|[a-z][A-Z]/.test(handle) && hasWord(plain, handle, 'i')) return `names ${name}`;
  }
  return undefined;
}

/** A part of a known name: written as a name, or between other words where it has a letter that is no ASCII. */
function isNamed(plain: string, part: string): boolean {
  if (!/^\p{Lu}/u.test(part))
    return part.length >= SHORTEST_HANDLE && /[\d_-]/.test(part) && hasWord(plain, part, 'i');
  if (NO_PERSON.has(part)) return false;
  return hasWord(plain, part, '');
}

function hasWord(text: string, word: string, flags: '' | 'i'): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+');
  return new RegExp(`(?<![\\p{L}\\p{N}_./-])${escaped}(?![\\p{L}\\p{N}_/-])`, `u${flags}`).test(text);
}

function address(plain: string): string | undefined {
  for (const [, who = '', where = ''] of plain.matchAll(EMAIL))
    if (!ROLE.test(who) && !EXAMPLE_DOMAIN.test(where)) return 'contains an e-mail address';
  return undefined;
}

function mention(plain: string): string | undefined {
  for (const [, who = ''] of plain.matchAll(MENTION))
    if (!NO_MENTION.has(who.toLowerCase()) && !/^[A-Z]/.test(who)) return `mentions @${who}`;
  return undefined;
}

function givenName(plain: string): string | undefined {
  for (const found of plain.matchAll(CAPITALISED)) {
    const word = found[0];
    const after = plain.slice(found.index + word.length);
    const before = plain.slice(0, found.index);
    if (GIVEN_NAMES.has(word) && !AMBIGUOUS_NAMES.has(word)) return `names ${word}`;
    if (NO_PERSON.has(word) && !AMBIGUOUS_NAMES.has(word)) continue;
    if (
      AMBIGUOUS_NAMES.has(word) &&
      (AFTER_NAME.test(after) || (BEFORE_NAME.test(before) && !/^\s+\p{Ll}/u.test(after)))
    )
      return `names ${word}`;
    if (!NO_PERSON.has(word) && !word.endsWith('ly') && SURELY_HUMAN.test(after)) return `names ${word}`;
  }
  return undefined;
}
