/** The command line: finds the verb, reads its options, runs it, and turns errors into a line, a hint and an exit code. */
import { homedir } from 'node:os';
import { environmentName, isSettingKey, loadConfig } from '../config/index.ts';
import { checkHome, placesIn, tidemarkHome, TidemarkError } from '../core/index.ts';
import { openClient } from '../daemon/index.ts';
import { readArguments } from './arguments.ts';
import { helpOf, overview } from './help.ts';
import { patient } from './patient.ts';
import { plainError } from './plain-error.ts';
import { openScreen, type Screen } from './screen.ts';
import { EXIT, type Verb } from './verb.ts';
import { closestVerb, findVerb } from './verbs/index.ts';

export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const screen = openScreen(process.env);
  leaveWithReader();
  const [first] = argv;
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    const asked = findVerb(argv.slice(1));
    screen.print(asked ? helpOf(asked.verb, screen) : overview(screen));
    return EXIT.ok;
  }
  const found = findVerb(argv);
  if (!found) {
    const near = first.startsWith('-') ? undefined : closestVerb(first);
    const hint = near ? `did you mean "${near}"? See them all with: tidemark --help` : 'See: tidemark --help';
    const error = new TidemarkError(
      'usage',
      first.startsWith('-') ? `${first} comes after a verb` : `there is no verb "${first}"`,
      { hint },
    );
    return report(error, argv.includes('--json'), screen);
  }
  return run(found.verb, found.rest);
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
    const places = placesIn(tidemarkHome(process.env, homedir()));
    checkHome(places);
    const flags = readFlags(given.lists['set'] ?? []);
    // A daemon that this call starts gets them as its environment.
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
      throw new TidemarkError('usage', `--set ${text} has no value`, { hint: 'Write: --set key=value' });
    }),
  );
  const [problem] = loadConfig({ places: { config: '' }, env: {}, flags }).problems;
  if (problem) throw new TidemarkError('usage', problem.reason, { hint: problem.hint });
  return flags;
}

function environmentOf(flags: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(flags).flatMap(([key, value]) =>
      isSettingKey(key) ? [[environmentName(key), value]] : [],
    ),
  );
}

/** `tidemark search x | head -1`: whoever reads has had enough, and that is no failure. */
function leaveWithReader(): void {
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
  screen.say(`${screen.paintTalk.red('error:')} ${message}`);
  if (hint) screen.say(`${screen.paintTalk.cyan('hint:')} ${hint}`);
  if (WRONG_USE.has(code)) return EXIT.usage;
  if (code === 'not-found') return EXIT.notFound;
  return code === 'unreachable' || code === 'daemon-silent' ? EXIT.unreachable : EXIT.failed;
}

const WRONG_USE: ReadonlySet<string> = new Set(['usage', 'config.unknown_key', 'config.wrong_value']);
