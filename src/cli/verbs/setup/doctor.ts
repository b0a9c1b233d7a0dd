/** Looks at everything that must work, says what to do where something does not, and does it when asked. */
import { writeBundle } from '../../bundle.ts';
import { runChecks, type Check, type Section, type Verdict } from '../../checks/index.ts';
import { tilde } from '../../screen.ts';
import { pad, widthOf, wrap } from '../../text-width.ts';
import { EXIT, JSON_OPTION, type Context, type Verb } from '../../verb.ts';

/** Wider lines are hard to read, however wide the terminal. */
const WIDEST = 120;

interface Fixed {
  readonly name: string;
  readonly done?: string;
  readonly failed?: string;
}

export const doctor: Verb = {
  name: 'doctor',
  usage: 'doctor [--fix] [--bundle]',
  summary: 'Check everything; each finding with its evidence and the next step.',
  options: {
    fix: { type: 'boolean', doc: 'Put right what can be put right, and say what was done.' },
    bundle: { type: 'boolean', doc: 'Write a redacted report for a bug: no memory texts, no keys.' },
    ...JSON_OPTION,
  },
  examples: ['tidemark doctor', 'tidemark doctor --fix', 'tidemark doctor --bundle'],
  async run(context) {
    const { options, screen } = context;
    const before = await look(context);
    const fixed = options['fix'] ? await fix(context, before) : [];
    const sections = fixed.length > 0 ? await look(context) : before;
    const checks = sections.flatMap((section) => section.checks);
    const code = checks.some(({ verdict }) => verdict === 'wrong') ? EXIT.failed : EXIT.ok;
    const bundle = options['bundle'] ? await writeBundle(context, sections) : undefined;
    if (options['json']) {
      screen.json({
        verdict: worst(checks),
        checks: sections.flatMap(({ title, checks: of }) => of.map((check) => plain(title, check))),
        fixed,
        ...(bundle ? { bundle } : {}),
      });
      return code;
    }
    for (const { done, failed, name } of fixed)
      screen.print(
        done ? `${screen.paint.green('fixed')}  ${done}` : `${screen.paint.red('failed')} ${name}: ${failed}`,
      );
    if (fixed.length > 0) screen.print('');
    printChecks(context, sections);
    screen.print(`\n${summaryOf(context, checks, fixed.length > 0)}`);
    if (bundle) {
      screen.print(`\nReport: ${bundle.path}`);
      screen.print(`In it:  ${bundle.holds.join('; ')}.`);
      screen.print('Not in it: memory texts, prompts, keys. Read it before you send it.');
    }
    return code;
  },
};

async function look(context: Context): Promise<readonly Section[]> {
  context.screen.progress('Looking…');
  const sections = await runChecks(context);
  context.screen.done();
  return sections;
}

async function fix({ screen }: Context, sections: readonly Section[]): Promise<readonly Fixed[]> {
  const fixed: Fixed[] = [];
  for (const { name, verdict, fix: mend, done } of sections.flatMap(({ checks }) => checks)) {
    if (done) fixed.push({ name, done });
    if (!mend || verdict === 'well') continue;
    screen.progress(`Fixing: ${name}`);
    try {
      fixed.push({ name, done: await mend() });
    } catch (error) {
      fixed.push({ name, failed: error instanceof Error ? error.message : String(error) });
    }
  }
  screen.done();
  return fixed;
}

export function printChecks({ screen }: Context, sections: readonly Section[]): void {
  const { paint } = screen;
  const marks: Readonly<Record<Verdict, string>> = {
    well: paint.green('✓'),
    note: paint.yellow('·'),
    wrong: paint.red('✗'),
  };
  const names = sections.flatMap(({ checks }) => checks.map(({ name }) => widthOf(name)));
  const indent = Math.max(...names) + 4;
  const room = Math.min(screen.width, WIDEST) - indent;
  const below = ' '.repeat(indent);
  for (const [i, { title, checks }] of sections.entries()) {
    screen.print(`${i > 0 ? '\n' : ''}${paint.bold(title)}`);
    for (const { name, verdict, evidence, next } of checks) {
      const [first = '', ...rest] = screen.isTerminal ? wrap(tilde(evidence), room) : [tilde(evidence)];
      screen.print(`${marks[verdict]} ${pad(name, indent - 2)}${first}`);
      for (const line of rest) screen.print(`${below}${line}`);
      if (!next) continue;
      const [step = '', ...steps] = screen.isTerminal ? wrap(tilde(next), room - 2) : [tilde(next)];
      screen.print(`${below}${paint.cyan(`→ ${step}`)}`);
      for (const line of steps) screen.print(`${below}  ${paint.cyan(line)}`);
    }
  }
}

export function summaryOf(
  { screen: { paint } }: Context,
  checks: readonly Check[],
  wasFixed: boolean,
): string {
  const count = (verdict: Verdict): number => checks.filter((check) => check.verdict === verdict).length;
  const [bad, notes] = [count('wrong'), count('note')];
  const fixable = checks.some(({ verdict, fix: mend }) => verdict !== 'well' && mend);
  const worth = notes > 0 ? `, ${notes} worth knowing` : '';
  const offer = fixable && !wasFixed ? ' Fix what can be fixed: tidemark doctor --fix' : '';
  if (bad > 0) return paint.red(`${bad} wrong${worth}.`) + offer;
  return paint.green(`All is well${worth}.`) + offer;
}

function worst(checks: readonly Check[]): Verdict {
  const has = (verdict: Verdict): boolean => checks.some((check) => check.verdict === verdict);
  return has('wrong') ? 'wrong' : has('note') ? 'note' : 'well';
}

function plain(section: string, { name, verdict, evidence, next, fix: mend }: Check): object {
  return { section, name, verdict, evidence, ...(next ? { next } : {}), fixable: mend !== undefined };
}
