/** The last lines of the daemon's and the hooks' logs. */
import { readFileSync } from 'node:fs';
import { count, type Verb } from '../verb.ts';

export const logs: Verb = {
  name: 'logs',
  usage: 'logs [--hooks] [--lines <n>]',
  summary: 'Show the last lines of the log (one JSON object per line).',
  options: {
    hooks: { type: 'boolean', doc: "The hooks' log instead of the daemon's." },
    lines: { type: 'string', value: 'n', doc: 'How many (40).' },
  },
  async run({ options, places, screen }) {
    const path = options['hooks'] ? places.hookLog : places.log;
    const lines = read(path).split('\n').filter(Boolean);
    if (lines.length === 0) return screen.say(`Nothing is logged yet in ${path}.`);
    screen.print(lines.slice(-count(options['lines'], 40)).join('\n'));
  },
};

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
