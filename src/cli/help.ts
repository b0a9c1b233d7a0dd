/** Renders the help from the verbs: the ten that people need, all of them, and one page per verb. */
import { row } from './row.ts';
import type { Screen } from './screen.ts';
import { wrapText } from './text-width.ts';
import { EXIT, optionsOf, type Option, type Verb } from './verb.ts';
import { FIRST_GROUPS, VERB_GROUPS, VERBS } from './verbs/index.ts';

type Page = Pick<Screen, 'isTerminal' | 'width' | 'paint'>;

export const ALL_COMMANDS = 'tidemark --help --all';

/** Lists the ten verbs that people need. */
export function overview(page: Page): string {
  return [
    ...headOf(page, FIRST_GROUPS),
    '',
    'Options of one command: tidemark <command> --help',
    `All commands: ${ALL_COMMANDS}`,
  ].join('\n');
}

/** Lists every verb, with the rules that apply to all of them. */
export function completeOverview(page: Page): string {
  return [
    ...headOf(page, VERB_GROUPS),
    '',
    ...[
      'Every command has --help, and every command that prints data has --json. Data goes to stdout, messages to stderr.',
      'Use a setting for one call only: --set key=value (settings: tidemark config).',
      `Exit codes: ${EXIT.ok} ok, ${EXIT.failed} failed (doctor: found a problem), ${EXIT.usage} wrong usage, ${EXIT.notFound} not found, ${EXIT.unreachable} daemon unreachable.`,
    ].map((text) => wrapText(text, page.width)),
  ].join('\n');
}

function headOf(page: Page, groups: typeof VERB_GROUPS): readonly string[] {
  const width = Math.max(...groups.flatMap(({ verbs }) => verbs.map(({ name }) => name.length)));
  const line = ({ name, summary }: Verb): string =>
    row(page, { front: `  ${name.padEnd(width)}`, text: summary });
  return [
    'Tidemark: memory for coding agents that outlives the session',
    '',
    'Usage: tidemark <command> [options]',
    ...groups.flatMap(({ title, verbs }) => ['', page.paint.bold(title), ...verbs.map(line)]),
  ];
}

export function helpOf(verb: Verb, page: Page): string {
  const options = Object.entries(optionsOf(verb)).map(
    ([name, option]) => [flag(name, option), option.doc] as const,
  );
  const width = Math.max(12, ...options.map(([left]) => left.length));
  const line = ([left, doc]: readonly [string, string]): string =>
    row(page, { front: `  ${left.padEnd(width)}`, text: doc });
  const longer = VERBS.filter(({ name }) => name.startsWith(`${verb.name} `));
  const subWidth = Math.max(...longer.map(({ name }) => name.length));
  const subLine = ({ name, summary }: Verb): string =>
    row(page, { front: `  ${name.padEnd(subWidth)}`, text: summary });
  return [
    wrapText(verb.summary, page.width),
    '',
    wrapText(`Usage: tidemark ${verb.usage}`, page.width),
    ...(options.length > 0 ? ['', ...options.map(line)] : []),
    ...(longer.length > 0 ? ['', 'Commands:', ...longer.map(subLine)] : []),
    ...(verb.examples ? ['', 'Examples:', ...verb.examples.map((example) => `  ${example}`)] : []),
  ].join('\n');
}

function flag(name: string, option: Option): string {
  const short = option.short ? `-${option.short}, ` : '';
  const alias = option.alias ? `, --${option.alias}` : '';
  return `${short}--${name}${alias}${option.type === 'string' ? ` <${option.value ?? 'text'}>` : ''}`;
}
