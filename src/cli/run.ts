/** Runs a command line: finds the verb, parses its options, runs it, and turns errors into a line, a hint and an exit code. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { environmentName, isSettingKey, loadConfig } from '../config/index.ts';
import { checkHome, placesIn, plainLine, tidemarkHome } from '../core/index.ts';
import { openClient } from '../daemon/index.ts';
import { ensureHome } from '../files/index.ts';
import { readArguments } from './arguments.ts';
import { completeOverview, helpOf, overview } from './help.ts';
import { patient } from './patient.ts';
import { plainError } from './plain-error.ts';
import { openScreen, type Screen } from './screen.ts';
import { unknownSecondWord, unknownVerb } from './unknown-verb.ts';
import { EXIT, usageError, type Verb } from './verb.ts';
import { findVerb, VERBS } from './verbs/index.ts';

export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const screen = openScreen(process.env);
  exitWithReader();
  const [first] = argv;
  if (first === undefined || asksForHelp(argv)) return help(argv, screen);
  const found = findVerb(argv);
  const problem = found
    ? unknownSecondWord(found.verb, found.rest, VERBS)
    : first.startsWith('-')
      ? usageError(`${first} must follow a command`, 'See: tidemark --help')
      : unknownVerb(first, VERBS);
  if (!found || problem) return report(problem, argv.includes('--json'), screen);
  return run(found.verb, found.rest);
}

const HELP: ReadonlySet<string> = new Set(['help', '--help', '-h']);

/** True for `--help`, `help search` and `--all --help`; `search --help` is read by its verb. */
function asksForHelp([first = '', second = '']: readonly string[]): boolean {
  return HELP.has(first) || (first === '--all' && HELP.has(second));
}

function help(argv: readonly string[], screen: Screen): number {
  const words = argv.filter((word) => !HELP.has(word) && !word.startsWith('-'));
  const [word] = words;
  if (word === undefined) {
    screen.print(argv.includes('--all') ? completeOverview(screen) : overview(screen));
    return EXIT.ok;
  }
  const found = findVerb(words);
  if (!found) return report(unknownVerb(word, VERBS), argv.includes('--json'), screen);
  screen.print(helpOf(found.verb, screen));
  return EXIT.ok;
}

async function run(verb: Verb, argv: readonly string[]): Promise<number> {
  const screen = openScreen(process.env);
  const wantsJson = argv.includes('--json');
  try {
    const { asksForHelp, ...given } = readArguments(verb, argv);
    if (asksForHelp) {
      screen.print(helpOf(verb, screen));
      return EXIT.ok;
    }
    ensureHome(process.env);
    const places = placesIn(resolve(tidemarkHome(process.env, homedir())));
    checkHome(places);
    const flags = readFlags(given.lists['set'] ?? []);
    // A daemon started by this call gets the flags as its environment.
    const client = patient(openClient(places, { ...process.env, ...environmentOf(flags) }), screen);
    const context = {
      flags,
      ...given,
      places,
      env: process.env,
      cwd: process.cwd(),
      screen,
      client,
    };
    return (await verb.run(context)) ?? EXIT.ok;
  } catch (error) {
    screen.done();
    return report(error, wantsJson, screen);
  }
}

/** `--set recall.briefTokens=1000` */
function readFlags(given: readonly string[]): Readonly<Record<string, string>> {
  const flags = Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at > 0) return [text.slice(0, at), text.slice(at + 1)] as const;
      throw usageError(`--set ${text} has no value`, 'Write: --set key=value');
    }),
  );
  const [problem] = loadConfig({ places: { config: '' }, env: {}, flags }).problems;
  if (problem) throw usageError(problem.reason, problem.hint);
  return flags;
}

function environmentOf(flags: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(flags).flatMap(([key, value]) =>
      isSettingKey(key) ? [[environmentName(key), value]] : [],
    ),
  );
}

/** Exits quietly when the reader closes the pipe, as in `tidemark search x | head -1`. */
function exitWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'EOF') process.exit(EXIT.ok);
      throw error;
    });
  }
}

function report(error: unknown, wantsJson: boolean, screen: Screen): number {
  const { code, message, hint } = plainError(error);
  if (wantsJson) screen.json({ error: { code, message, ...(hint ? { hint } : {}) } });
  screen.say(`${screen.paintTalk.red('error:')} ${plainLine(message)}`);
  if (hint) screen.say(`${screen.paintTalk.cyan('hint:')} ${hint}`);
  if (WRONG_USE.has(code)) return EXIT.usage;
  if (code === 'not-found') return EXIT.notFound;
  return code === 'unreachable' || code === 'daemon-silent' ? EXIT.unreachable : EXIT.failed;
}

const WRONG_USE: ReadonlySet<string> = new Set(['usage', 'config.unknown_key', 'config.wrong_value']);
