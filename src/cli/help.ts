/** The help people read: one overview, one page per verb, all made from the verbs themselves. */
import { row } from './row.ts';
import type { Screen } from './screen.ts';
import { wrapText } from './text-width.ts';
import { EXIT, type Option, type Verb } from './verb.ts';
import { VERB_GROUPS, VERBS } from './verbs/index.ts';

type Paper = Pick<Screen, 'isTerminal' | 'width' | 'paint'>;

export function overview(paper: Paper): string {
  const width = Math.max(...VERBS.map((verb) => verb.name.length));
  const line = ({ name, summary }: Verb): string =>
    row(paper, { front: `  ${name.padEnd(width)}`, text: summary });
  return [
    'tidemark: a memory for coding agents that outlives the session',
    '',
    'Usage: tidemark <verb> [options]',
    ...VERB_GROUPS.flatMap(({ title, verbs }) => ['', paper.paint.bold(title), ...verbs.map(line)]),
    '',
    ...[
      'Any setting for this call alone: --set key=value (see: tidemark config).',
      'Every verb has --help; every verb that prints data has --json. Data goes to stdout, talk to stderr.',
      `Exit codes: ${exitCodes()}`,
    ].map((text) => wrapText(text, paper.width)),
  ].join('\n');
}

export function helpOf(verb: Verb, paper: Paper): string {
  const options = Object.entries(verb.options).map(
    ([name, option]) => [flag(name, option), option.doc] as const,
  );
  const width = Math.max(12, ...options.map(([left]) => left.length));
  const line = ([left, doc]: readonly [string, string]): string =>
    row(paper, { front: `  ${left.padEnd(width)}`, text: doc });
  return [
    wrapText(verb.summary, paper.width),
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

function exitCodes(): string {
  return `${EXIT.ok} well, ${EXIT.failed} failed (doctor: something is wrong), ${EXIT.usage} wrong use, ${EXIT.notFound} not found, ${EXIT.unreachable} daemon unreachable.`;
}
