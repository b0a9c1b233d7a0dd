/** The help people read: one overview, one page per verb, all made from the verbs themselves. */
import { EXIT, type Option, type Verb } from './verb.ts';
import { VERBS } from './verbs/index.ts';

export function overview(): string {
  const width = Math.max(...VERBS.map((verb) => verb.name.length)) + 2;
  return [
    'tidemark: a memory for coding agents that outlives the session',
    '',
    'Usage: tidemark <verb> [options]',
    '',
    ...VERBS.map((verb) => `  ${verb.name.padEnd(width)}${verb.summary}`),
    '',
    'Any setting for this call alone: --set key=value (see: tidemark config).',
    'Every verb has --help; every verb that prints data has --json. Data goes to stdout, talk to stderr.',
    `Exit codes: ${exitCodes()}`,
  ].join('\n');
}

export function helpOf(verb: Verb): string {
  const options = Object.entries(verb.options).map(
    ([name, option]) => [flag(name, option), option.doc] as const,
  );
  const width = Math.max(12, ...options.map(([left]) => left.length)) + 2;
  return [
    verb.summary,
    '',
    `Usage: tidemark ${verb.usage}`,
    ...(options.length > 0 ? ['', ...options.map(([left, doc]) => `  ${left.padEnd(width)}${doc}`)] : []),
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
