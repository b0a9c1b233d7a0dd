/** Formats `stats --impact` for the terminal. Pure. */
import type { GroupMeasures, Impact, Tally } from '../../../recall/index.ts';
import type { Paint } from '../../screen.ts';

const PLACES: Readonly<Record<string, string>> = {
  brief: 'in the brief',
  prompt: 'with a prompt',
  read: 'when a file was read',
  edit: 'before an edit',
  stop: 'to stop a call',
};

const MEASURE_NAMES = {
  turns: 'turns per session',
  toolCalls: 'tool calls per turn',
  failedCommands: 'failed commands per turn',
  filesReadAgain: 'files read again per turn',
  promptsAskedAgain: 'prompts asked again per turn',
} as const satisfies Record<keyof GroupMeasures['measures'], string>;

export function renderImpact(impact: Impact, paint: Paint): string {
  const { groups, comparison } = impact;
  return [
    ...(Object.keys(impact.byPlace).length === 0
      ? ['No memories were injected yet.']
      : [
          ...table('where', impact.byPlace, (name) => PLACES[name] ?? name, paint),
          '',
          ...table('kind', impact.byKind, (name) => name.replace('_', ' '), paint),
        ]),
    ...(impact.askedFor > 0 ? ['', `${impact.askedFor} more were opened without being injected first`] : []),
    '',
    paint.bold('sessions'),
    `  ${groups.recalled.sessions} with recall, ${groups.nothing.sessions} with nothing relevant, ${groups.heldOut.sessions} held out`,
    ...(comparison
      ? ['', ...beside(comparison.withRecall, comparison.without, paint)]
      : ['', ...beside(groups.recalled, groups.nothing, paint, 'nothing recalled')]),
    ...impact.warnings.flatMap((warning) => ['', paint.yellow(warning)]),
  ].join('\n');
}

function table(
  title: string,
  rows: Readonly<Record<string, Tally>>,
  nameOf: (key: string) => string,
  paint: Paint,
): readonly string[] {
  const entries = Object.entries(rows);
  const width = Math.max(16, ...entries.map(([key]) => nameOf(key).length + 2));
  const cell = (text: string | number): string => String(text).padStart(9);
  return [
    paint.bold(`${title.padEnd(width + 2)}${cell('injected')}${cell('opened')}${cell('used')}`),
    ...entries.map(
      ([key, { shown, opened, echoed }]) =>
        `  ${nameOf(key).padEnd(width)}${cell(shown)}${cell(opened)}${cell(echoed)}`,
    ),
  ];
}

function beside(
  left: GroupMeasures,
  right: GroupMeasures,
  paint: Paint,
  without = 'held out',
): readonly string[] {
  const cell = (text: string): string => text.padStart(24);
  const value = (group: GroupMeasures, name: keyof typeof MEASURE_NAMES): string => {
    const { mean, plusMinus } = group.measures[name];
    return group.sessions === 0 ? '-' : `${mean.toFixed(2)} ± ${plusMinus.toFixed(2)}`;
  };
  const head = [`with recall (n=${left.sessions})`, `${without} (n=${right.sessions})`];
  return [
    paint.bold(`${'mean and confidence interval'.padEnd(32)}${head.map(cell).join('')}`),
    ...Object.entries(MEASURE_NAMES).map(([name, words]) => {
      const key = name as keyof typeof MEASURE_NAMES; // its keys are the measures
      return `  ${words.padEnd(30)}${cell(value(left, key))}${cell(value(right, key))}`;
    }),
  ];
}
