/** The command line: finds the verb, reads its options, runs it, and turns errors into a line, a hint and an exit code. */
import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { openClient } from '../daemon/index.ts';
import { placesIn, tidemarkHome, TidemarkError } from '../model/index.ts';
import { helpOf, overview } from './help.ts';
import { openScreen } from './screen.ts';
import { EXIT, type Context, type Verb } from './verb.ts';
import { closestVerb, findVerb } from './verbs/index.ts';

export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const screen = openScreen(process.env);
  const [first] = argv;
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    const asked = findVerb(argv.slice(1));
    screen.print(asked ? helpOf(asked.verb) : overview());
    return EXIT.ok;
  }
  const found = findVerb(argv);
  if (!found) {
    const near = closestVerb(first);
    screen.say(
      `tidemark: there is no verb "${first}"${near ? `; did you mean "${near}"?` : ''} See: tidemark --help`,
    );
    return EXIT.usage;
  }
  return run(found.verb, found.rest);
}

async function run(verb: Verb, argv: readonly string[]): Promise<number> {
  const screen = openScreen(process.env);
  const wantsJson = argv.includes('--json');
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { ...verb.options, help: { type: 'boolean', short: 'h' } },
    });
    if (values['help']) {
      screen.print(helpOf(verb));
      return EXIT.ok;
    }
    const places = placesIn(tidemarkHome(process.env, homedir()));
    const client = openClient(places, process.env);
    const context = {
      args: positionals,
      options: onlyOnes(values),
      lists: onlyLists(values),
      places,
      env: process.env,
      cwd: process.cwd(),
      screen,
      client,
    };
    return (await verb.run(context)) ?? EXIT.ok;
  } catch (error) {
    screen.done();
    return report(error, verb, wantsJson, screen);
  }
}

type Given = string | boolean | readonly (string | boolean)[] | undefined;

function onlyOnes(values: Readonly<Record<string, Given>>): Context['options'] {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'boolean' ? [[name, value] as const] : [],
    ),
  );
}

function onlyLists(values: Readonly<Record<string, Given>>): Context['lists'] {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      Array.isArray(value) ? [[name, value.map(String)] as const] : [],
    ),
  );
}

function report(
  error: unknown,
  verb: Verb,
  wantsJson: boolean,
  screen: ReturnType<typeof openScreen>,
): number {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message.split('\n')[0] : String(error);
  const usage = code.startsWith('ERR_PARSE_ARGS');
  const hint =
    error instanceof TidemarkError ? error.hint : usage ? `See: tidemark ${verb.name} --help` : undefined;
  if (wantsJson) screen.json({ error: { code: usage ? 'usage' : code, message, ...(hint ? { hint } : {}) } });
  screen.say(`tidemark ${verb.name}: ${message}`);
  if (hint) screen.say(`  ${hint}`);
  if (usage || code === 'usage') return EXIT.usage;
  if (code === 'not-found') return EXIT.notFound;
  return code === 'unreachable' || code === 'daemon-silent' ? EXIT.unreachable : EXIT.failed;
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'internal';
}
