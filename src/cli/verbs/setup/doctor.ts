/** Checks everything that must work, shows the next step for each problem, and fixes it with --fix. */
import { plainLine } from '../../../core/index.ts';
import { writeBundle } from '../../bundle.ts';
import { runChecks, type Check, type Section, type Verdict } from '../../checks/index.ts';
import { counted, tilde } from '../../screen.ts';
import { pad, widthOf, wrap } from '../../text-width.ts';
import { EXIT, flag, type Context, type Verb } from '../../verb.ts';

/** Wider lines are hard to read. */
const WIDEST = 120;

interface Fixed {
  readonly name: string;
  readonly done?: string;
  readonly failed?: string;
}

export const doctor: Verb = {
  name: 'doctor',
  usage: 'doctor [--fix] [--bundle]',
  summary: 'Check that everything works, and show how to fix what does not.',
  options: {
    fix: flag('Fix what can be fixed, and show what was done.'),
    bundle: flag('Write a file to attach to a bug report; it contains no memory texts and no keys.'),
  },
  examples: ['tidemark doctor', 'tidemark doctor --fix', 'tidemark doctor --bundle'],
  async run(context) {
    const { options, screen } = context;
    const before = await check(context);
    const fixed = options['fix'] ? await fix(context, before) : [];
    const sections = fixed.length > 0 ? await check(context) : before;
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
        done
          ? `${screen.paint.green('fixed')}  ${tilde(done)}`
          : `${screen.paint.red('failed')} ${name}: ${tilde(failed ?? '')}`,
      );
    if (fixed.length > 0) screen.print('');
    printChecks(context, sections);
    screen.print(`\n${summaryOf(context, checks, fixed.length > 0)}`);
    if (bundle) {
      screen.print(`\nReport: ${bundle.path}`);
      screen.print(`Contains: ${bundle.holds.join('; ')}.`);
      screen.print('It contains no memory texts, prompts or keys. Read it before you send it.');
    }
    return code;
  },
};

async function check(context: Context): Promise<readonly Section[]> {
  context.screen.progress('Checking…');
  const sections = await runChecks(context);
  context.screen.done();
  return sections;
}

async function fix({ screen }: Context, sections: readonly Section[]): Promise<readonly Fixed[]> {
  const fixed: Fixed[] = [];
  for (const { name, verdict, fix: apply, done } of sections.flatMap(({ checks }) => checks)) {
    if (done) fixed.push({ name, done });
    if (!apply || verdict === 'well') continue;
    screen.progress(`Fixing: ${name}`);
    try {
      fixed.push({ name, done: await apply() });
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
  const line = (text: string): string => tilde(plainLine(text));
  for (const [i, { title, checks }] of sections.entries()) {
    screen.print(`${i > 0 ? '\n' : ''}${paint.bold(title)}`);
    for (const { name, verdict, evidence, next } of checks) {
      const [first = '', ...rest] = screen.isTerminal ? wrap(line(evidence), room) : [line(evidence)];
      screen.print(`${marks[verdict]} ${pad(name, indent - 2)}${first}`);
      for (const more of rest) screen.print(`${below}${more}`);
      if (!next) continue;
      const [step = '', ...steps] = screen.isTerminal ? wrap(line(next), room - 2) : [line(next)];
      screen.print(`${below}${paint.cyan(`→ ${step}`)}`);
      for (const more of steps) screen.print(`${below}  ${paint.cyan(more)}`);
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
  const fixable = checks.some((one) => one.verdict !== 'well' && one.fix);
  const more = notes > 0 ? `, ${counted(notes, 'note')}` : '';
  const offer = fixable && !wasFixed ? ' Fix what can be fixed: tidemark doctor --fix' : '';
  if (bad > 0) return paint.red(`${counted(bad, 'problem')}${more}.`) + offer;
  return paint.green(`No problems${more}.`) + offer;
}

function worst(checks: readonly Check[]): Verdict {
  const has = (verdict: Verdict): boolean => checks.some((check) => check.verdict === verdict);
  return has('wrong') ? 'wrong' : has('note') ? 'note' : 'well';
}

function plain(section: string, { name, verdict, evidence, next, fix: apply }: Check): object {
  return { section, name, verdict, evidence, ...(next ? { next } : {}), fixable: apply !== undefined };
}
