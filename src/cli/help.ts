/** Renders the help from the verbs: one overview and one page per verb. */
import { row } from './row.ts';
import type { Screen } from './screen.ts';
import { wrapText } from './text-width.ts';
import { EXIT, optionsOf, type Option, type Verb } from './verb.ts';
import { VERB_GROUPS, VERBS } from './verbs/index.ts';

type Page = Pick<Screen, 'isTerminal' | 'width' | 'paint'>;

export function overview(page: Page): string {
  const width = Math.max(...VERBS.map((verb) => verb.name.length));
  const line = ({ name, summary }: Verb): string =>
    row(page, { front: `  ${name.padEnd(width)}`, text: summary });
  return [
    'tidemark: memory for coding agents that outlives the session',
    '',
    'Usage: tidemark <verb> [options]',
    ...VERB_GROUPS.flatMap(({ title, verbs }) => ['', page.paint.bold(title), ...verbs.map(line)]),
    '',
    ...[
      'Set any setting for one call: --set key=value (see: tidemark config).',
      'Every verb has --help; every verb that prints data has --json. Data goes to stdout, messages to stderr.',
      `Exit codes: ${EXIT.ok} ok, ${EXIT.failed} failed (doctor: found a problem), ${EXIT.usage} wrong usage, ${EXIT.notFound} not found, ${EXIT.unreachable} daemon unreachable.`,
    ].map((text) => wrapText(text, page.width)),
  ].join('\n');
}

export function helpOf(verb: Verb, page: Page): string {
  const options = Object.entries(optionsOf(verb)).map(
    ([name, option]) => [flag(name, option), option.doc] as const,
  );
  const width = Math.max(12, ...options.map(([left]) => left.length));
  const line = ([left, doc]: readonly [string, string]): string =>
    row(page, { front: `  ${left.padEnd(width)}`, text: doc });
  return [
    wrapText(verb.summary, page.width),
    '',
    `Usage: tidemark ${verb.usage}`,
    ...(options.length > 0 ? ['', ...options.map(line)] : []),
    ...(verb.examples ? ['', 'Examples:', ...verb.examples.map((example) => `  ${example}`)] : []),
  ].join('\n');
}

function flag(name: string, option: Option): string {
  const short = option.short ? `-${option.short}, ` : '';
  return `${short}--${name}${option.type === 'string' ? ` <${option.value ?? 'text'}>` : ''}`;
}
