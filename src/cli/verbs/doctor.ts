/** Looks at everything that must work, and says what to do where something does not. */
import { runChecks, type Verdict } from '../checks.ts';
import { EXIT, JSON_OPTION, type Verb } from '../verb.ts';

export const doctor: Verb = {
  name: 'doctor',
  usage: 'doctor',
  summary: 'Check everything; each finding with its evidence and the next step.',
  options: { ...JSON_OPTION },
  async run(context) {
    const { options, screen } = context;
    const checks = await runChecks(context);
    const code = checks.some(({ verdict }) => verdict === 'wrong') ? EXIT.unhealthy : EXIT.ok;
    if (options['json']) {
      screen.json(checks);
      return code;
    }
    const { paint } = screen;
    const marks: Readonly<Record<Verdict, string>> = {
      well: paint.green('✓'),
      note: paint.yellow('·'),
      wrong: paint.red('✗'),
    };
    const width = Math.max(...checks.map(({ name }) => name.length)) + 2;
    for (const { name, verdict, evidence, next } of checks) {
      screen.print(`${marks[verdict]} ${name.padEnd(width)}${evidence}`);
      if (next) screen.print(`  ${' '.repeat(width)}${paint.dim(`→ ${next}`)}`);
    }
    return code;
  },
};
