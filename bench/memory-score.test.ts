import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scoreProject, titleShare, total, type Entry, type Label, type ScoreInput } from './memory-score.ts';

const TURNS = [
  {
    name: 's1.1',
    text: 'add a queue for the mails, no redis, ops wont give us another box. Compared pg-boss and BullMQ.',
  },
  { name: 's1.2', text: 'yeah lets go with pg-boss then. Confirmation mails now go through a pg-boss job.' },
  {
    name: 's2.1',
    text: 'the waitlist test fails every tenth run on ci. Noted, the flaky waitlist test is left alone.',
  },
  { name: 's2.2', text: 'lunch. Enjoy your lunch!' },
  { name: 's3.1', text: 'fix the waitlist test. Fix: waitlist promotion sorts by created_at and id.' },
  {
    name: 's3.2',
    text: 'two members got the mail twice. The mail_log insert fails and the job is retried, not fixed yet.',
  },
  { name: 's3.3', text: 'hold seats 12 minutes instead of 8. Done, seats are held for 12 minutes.' },
];

const REDIS = label(
  'k1',
  's1.1',
  'preference',
  'No Redis in the mail stack',
  'no redis, ops wont give us another box',
);
const QUEUE = label(
  'k2',
  's1.2',
  'decision',
  'Use pg-boss for the mail job queue',
  'yeah lets go with pg-boss then',
);
const FLAKY = label(
  'k3',
  's2.1',
  'issue',
  'The waitlist test fails in one CI run of ten',
  'the waitlist test fails every tenth run on ci',
  {
    status: 'ended',
    until: 's3.1',
    by: 'k4',
  },
);
const SORTED = label(
  'k4',
  's3.1',
  'bugfix',
  'Waitlist promotion sorts by created_at and id',
  'Fix: waitlist promotion sorts by created_at and id.',
);
const TWICE = label(
  'k5',
  's3.2',
  'issue',
  'Members get mails twice because the mail_log insert fails and the job retries',
  'The mail_log insert fails and the job is retried',
  {
    status: 'open',
  },
);
const LABELS = [REDIS, QUEUE, FLAKY, SORTED, TWICE];

test('a reworded memory of the same turn counts as remembered', () => {
  const { matches, noise } = score([entry('s1.2', 'decision', 'The mail jobs run on pg-boss')]);
  assert.deepEqual(
    matches.map((match) => match.label.id),
    ['k2'],
  );
  assert.deepEqual(noise, []);
});

test('a memory of another turn needs more of the label', () => {
  const near = score([entry('s3.2', 'decision', 'Use pg-boss for the mail job queue')]);
  assert.deepEqual(
    near.matches.map((match) => match.label.id),
    ['k2'],
  );
  const far = score([entry('s3.2', 'decision', 'Mails use the language of the member')]);
  assert.equal(
    far.matches.some((match) => match.label.id === 'k2'),
    false,
  );
});

test('each label and each entry is matched once, and a second entry on the matter is no noise', () => {
  const { matches, noise } = score([
    entry('s1.2', 'decision', 'Use pg-boss for the mail job queue'),
    entry('s1.2', 'decision', 'pg-boss runs the mail jobs'),
  ]);
  assert.equal(matches.length, 1);
  assert.deepEqual(noise, []);
});

test('an entry that repeats a quote without its content is not a memory of it', () => {
  const agreed = label(
    'k9',
    's1.2',
    'decision',
    'Admit 300 users per minute',
    'go with what the db guy says',
  );
  const { matches } = score([entry('s1.2', 'decision', 'Use what the db guy says')], [agreed]);
  assert.deepEqual(matches, []);
});

test('the opposite of a rule does not remember the rule', () => {
  const { matches } = score([entry('s1.1', 'decision', 'Use Redis in the mail stack')]);
  assert.deepEqual(matches, []);
});

test('a resolved or superseded entry is not live', () => {
  const { live, endedAsCurrent, noise } = score([
    entry('s2.1', 'issue', FLAKY.title, { state: 'resolved' }),
    entry('s1.2', 'decision', QUEUE.title, { state: 'superseded' }),
  ]);
  assert.deepEqual([live, endedAsCurrent, noise], [[], [], []]);
});

test('a live entry of an ended label is presented as current and is noise', () => {
  const { endedAsCurrent, noise } = score([
    entry('s2.1', 'issue', 'Waitlist test is flaky on CI, one run in ten fails', { state: 'open' }),
  ]);
  assert.deepEqual(
    endedAsCurrent.map(({ label: { id } }) => id),
    ['k3'],
  );
  assert.equal(noise.length, 1);
});

test('the entry of the replacement is not taken for the ended label', () => {
  const { endedAsCurrent, matches } = score([
    entry('s3.1', 'bugfix', 'Flaky waitlist test fixed: promotion sorts by created_at and id'),
  ]);
  assert.deepEqual(endedAsCurrent, []);
  assert.deepEqual(
    matches.map((match) => match.label.id),
    ['k4'],
  );
});

test('the words by which an ended label and its replacement differ decide between them', () => {
  const eight = label('k6', 's3.2', 'decision', 'Seats are held for 8 minutes', 'hold seats 8 minutes', {
    status: 'ended',
    until: 's3.3',
    by: 'k7',
  });
  const twelve = label(
    'k7',
    's3.3',
    'decision',
    'Seats are held for 12 minutes',
    'hold seats 12 minutes instead of 8',
  );
  const revised = score(
    [entry('s3.2', 'decision', 'Seats are held for 12 minutes, no longer 8')],
    [eight, twelve],
  );
  assert.deepEqual(revised.endedAsCurrent, []);
  assert.deepEqual(
    revised.matches.map((match) => match.label.id),
    ['k7'],
  );
  const stale = score([entry('s3.2', 'decision', 'Seats are held for 8 minutes')], [eight, twelve]);
  assert.deepEqual(
    stale.endedAsCurrent.map(({ label: { id } }) => id),
    ['k6'],
  );
});

test('an entry that says how an ended issue was fixed neither presents it as current nor is noise', () => {
  const { endedAsCurrent, noise } = score([
    entry('s2.1', 'bugfix', 'The waitlist test no longer fails every tenth run on CI'),
  ]);
  assert.deepEqual([endedAsCurrent, noise], [[], []]);
});

test('a label without an entry of its own may be said by the entry of another label', () => {
  const why = label(
    'k8',
    's1.2',
    'discovery',
    'pg-boss needs no Redis server',
    'pg-boss needs no redis server',
  );
  const { matches, saidElsewhere } = score(
    [
      entry('s1.2', 'decision', QUEUE.title, {
        text: 'Compared with BullMQ: pg-boss needs no Redis server.',
      }),
    ],
    [QUEUE, why],
  );
  assert.deepEqual(
    matches.map((match) => match.label.id),
    ['k2'],
  );
  assert.deepEqual(
    saidElsewhere.map(({ id }) => id),
    ['k8'],
  );
});

test('an open issue is right only if it is presented as open', () => {
  const open = score([entry('s3.2', 'issue', TWICE.title, { state: 'open' })]);
  assert.equal(open.openRight.length, 1);
  const said = score([entry('s3.2', 'discovery', `${TWICE.title}, not fixed yet`)]);
  assert.equal(said.openRight.length, 1);
  const told = score([entry('s3.2', 'discovery', TWICE.title)]);
  assert.equal(told.openRight.length, 0);
  assert.equal(told.matches.length, 1);
});

test('an open issue about something that was fixed in the turn is noise', () => {
  const { fixedListedOpen, matches, noise } = score([
    entry('s3.1', 'issue', 'Waitlist promotion sorts by created_at only, not by id', { state: 'open' }),
  ]);
  assert.deepEqual([matches.length, noise.length, fixedListedOpen.length], [0, 1, 1]);
});

test('an entry that matches nothing is noise', () => {
  const { noise } = score([entry('s2.2', 'discovery', 'Lunch is at noon, enjoy')]);
  assert.equal(noise.length, 1);
});

test('decision, preference and pattern are one kind; cause and fix only if both are labelled', () => {
  const rule = score([entry('s1.2', 'preference', QUEUE.title)]);
  assert.equal(rule.matches[0]?.kindRight, true);
  const cause = score([entry('s3.1', 'discovery', SORTED.title)]);
  assert.equal(cause.matches[0]?.kindRight, false);
  const twin = label(
    'k8',
    's3.1',
    'discovery',
    'Waitlist promotion sorted ties by created_at only, without id',
    'waitlist promotion sorts by created_at and id',
  );
  const both = score([entry('s3.1', 'discovery', SORTED.title)], [...LABELS, twin]);
  assert.equal(both.matches[0]?.kindRight, true);
});

test('the share of title words ignores word forms and compares identifiers by their pieces', () => {
  assert.equal(titleShare('Use pg-boss for mail jobs', 'The mail job runs on pg-boss'), 1);
  assert.equal(titleShare('mail_log rows are deleted', 'Deletes the mail log'), 2 / 3);
  assert.ok(titleShare('金额一律以分为单位存整数', '金额一律存整数') >= 0.4);
});

test('a false statement needs its words, the same denial and a fitting kind', () => {
  const made = (one: Entry, statement: string): number =>
    score([one], LABELS, [statement]).falseStatements.length;
  assert.equal(made(entry('s1.1', 'decision', 'Use Redis for the queue'), 'Use Redis for the queue'), 1);
  assert.equal(made(entry('s1.1', 'decision', 'No Redis for the queue'), 'Use Redis for the queue'), 0);
  assert.equal(made(entry('s1.1', 'preference', 'Redis'), 'Dead end: Redis'), 0);
  assert.equal(made(entry('s1.1', 'dead_end', 'Redis'), 'Dead end: Redis'), 1);
  assert.equal(
    made(entry('s1.1', 'dead_end', 'Redis for the queue was tried'), 'Use Redis for the queue'),
    0,
  );
  assert.equal(
    made(entry('s1.1', 'decision', 'Keep jobs 7 days in the queue'), 'Keep jobs 14 days in the queue'),
    0,
  );
  const open = entry('s3.2', 'issue', 'Members get mails twice', { state: 'open' });
  assert.equal(made(open, 'The double mails to members are fixed'), 0);
  assert.equal(
    made(entry('s3.2', 'bugfix', 'Members get mails twice, fixed'), 'Members getting mails twice is fixed'),
    1,
  );
});

test('a true entry with the words of a false statement is not counted', () => {
  const { falseStatements } = score([entry('s1.2', 'decision', QUEUE.title)], LABELS, [
    'Use BullMQ for the mail job queue',
  ]);
  assert.deepEqual(falseStatements, []);
});

test('a memory that contains every label exactly has full marks', () => {
  const entries = LABELS.filter(({ status }) => status !== 'ended').map((one) =>
    entry(one.turn, one.kind, one.title, { state: one.status === 'open' ? 'open' : 'current' }),
  );
  const input = inputOf(entries);
  const sum = total([{ input, score: scoreProject(input) }]);
  assert.deepEqual(sum.inForce, { count: 3, of: 3 });
  assert.deepEqual(sum.openRight, { count: 1, of: 1 });
  assert.deepEqual(sum.endedAsCurrent, { count: 0, of: 1 });
  assert.deepEqual(sum.noise, { count: 0, of: 4 });
  assert.deepEqual(sum.kindRight, { count: 4, of: 4 });
  assert.equal(sum.titleShare, 1);
});

function score(entries: readonly Entry[], labels: readonly Label[] = LABELS, never: readonly string[] = []) {
  return scoreProject(inputOf(entries, labels, never));
}

function inputOf(
  entries: readonly Entry[],
  labels: readonly Label[] = LABELS,
  never: readonly string[] = [],
): ScoreInput {
  return { labels, end: { never }, entries, turns: TURNS };
}

function label(
  id: string,
  turn: string,
  kind: Label['kind'],
  title: string,
  quote: string,
  more: Partial<Label> = {},
): Label {
  return { id, turn, kind, title, quote, status: 'in-force', ...more };
}

function entry(turn: string, kind: Entry['kind'], title: string, more: Partial<Entry> = {}): Entry {
  return { id: `${turn} ${title}`, kind, state: 'current', title, text: '', turns: [turn], ...more };
}
