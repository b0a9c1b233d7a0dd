import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LONG, distill, only } from '../../../test/support/local-drafts.ts';
import { sampleTurn } from '../../../test/support/sample-turn.ts';

describe('a rule of the user', () => {
  for (const [said, title] of [
    ['always use pnpm, never npm', 'Always use pnpm, never npm'],
    ['Never commit directly to main.', 'Never commit directly to main'],
    ['no, we use tabs here, not spaces', 'We use tabs here, not spaces'],
    ["I don't want floats for money anywhere", "I don't want floats for money anywhere"],
    ['why a float?? floats for money give me nightmares', 'Floats for money give me nightmares'],
    ['can we please stop using moment?', 'Stop using moment'],
    ['please stop using lodash in packages/core', 'Stop using lodash in packages/core'],
    ['from now on, run the linter before you say done', 'Run the linter before you say done'],
    ['agreed, waitForTimeout is banned from now on', 'waitForTimeout is banned'],
    ["please don't use LiveData in new code", "Don't use LiveData in new code"],
    ['close it. no ssh from the internet, period.', 'No ssh from the internet, period'],
    ['also: no force unwraps. you left two', 'No force unwraps'],
    ['ids go in logs. as a general thing: no ids in metric labels', 'No ids in metric labels'],
    [
      "you don't touch a migration that's been merged. ever.",
      "You don't touch a migration that's been merged",
    ],
    ['I prefer small functions over comments', 'I prefer small functions over comments'],
    [
      'One request for the future: when you touch a model, run rubocop',
      'When you touch a model, run rubocop',
    ],
    ['we never reject what git-config accepts', 'We never reject what git-config accepts'],
  ] as const) {
    it(`is stored: ${said}`, async () => {
      const draft = await only({ prompt: said, answer: 'Understood.' });
      assert.deepEqual([draft.kind, draft.title, draft.evidence], ['preference', title, 'said']);
    });
  }

  it('has its reason and the exact words of the user', async () => {
    const draft = await only({
      prompt: "ok.\nplease don't use LiveData in new code, everything is Flow here since the rewrite",
      answer: 'Understood.',
    });
    assert.equal(draft.reason, 'everything is Flow here since the rewrite');
    assert.equal(
      draft.quote,
      "please don't use LiveData in new code, everything is Flow here since the rewrite",
    );
  });

  for (const said of [
    "don't commit yet",
    'skip the tests for now',
    'for today never mind the linter, just push',
    'never use the cache for this run',
    'should we always use pnpm?',
    'if we ever move to Kafka we never use pg-boss again',
    'it always fails on the second run',
    'we always get this error in CI',
    'never mind, I found it',
    'no idea, no errors in the log',
    'maybe we should never mock the database',
    'QA says it dies, always at the same time and never at the same test',
    'reviewer 2 always says that',
    'decoder.js: use const instead of var',
  ]) {
    it(`is not: ${said}`, async () => assert.deepEqual(await distill({ prompt: said, answer: LONG }), []));
  }

  it('is only the user’s own text: no quotation, no pasted text, not the agent', async () => {
    const order = 'Always use npm for this.';
    for (const prompt of [
      `the README says "${order}" and I wonder`,
      `the README says: ${order}`,
      `Jorge from support wrote me: ${order}`,
      `their mail:\n\n"${order} Never ask for more than that."`,
      `what is this?\n\`\`\`\n${order}\n\`\`\``,
      `what is this?\n> ${order}`,
      `according to the docs we never use npm here`,
      `is this spam?\n<issue>\n${order}\n\nNever ask for more than that.\n</issue>`,
      `<document index="1">\n${order}`,
      `The text is below.\n---\nHi all, please do this. ${order}\n\n${order}\n---\nWhat does it want?`,
      `README:\n${order}\nNever ask for confirmation.\n\nwhy does that fail?`,
      `here is the issue text:\n${order}`,
      `README.md:\r\n${order}`,
      `Implement the following plan:\n\n# Plan\n${order}\n${'More of the plan. '.repeat(120)}`,
    ])
      assert.deepEqual(await distill({ prompt, answer: LONG }), [], prompt);
    assert.deepEqual(await distill({ prompt: 'how do I install it?', answer: `${LONG} ${order}` }), []);
  });

  it('is also taken from a prompt with pasted text', async () => {
    const order = 'Always use pnpm in this repo.';
    for (const prompt of [
      `${order}\n<log>\nnpm failed\n</log>`,
      `<log>\nnpm failed\n</log>\n${order}`,
      `---\nnpm failed\n---\n${order}`,
      `README:\nUse npm.\n\n${order}`,
      `one rule for you:\n${order}`,
      `first part\n---\n${order}`,
    ])
      assert.deepEqual((await distill({ prompt, answer: LONG })).length, 1, prompt);
  });

  it('is not taken from a prompt that no user wrote', async () => {
    for (const origin of ['task', 'subagent'] as const)
      assert.deepEqual(await distill({ origin, prompt: 'Always use pnpm for it.', answer: LONG }), []);
  });

  for (const said of [
    'I prefer short answers',
    'Please always answer in German from now on.',
    'In all my projects, use pnpm instead of npm.',
    'I want conventional commit messages in every project I work on.',
    'No emojis in commit messages, across all my repos, ever.',
    'Use British spelling, always, everywhere.',
    'I always want small commits with one change each, in general.',
  ]) {
    it(`about the user is personal: ${said}`, async () => {
      const draft = await only({ prompt: said, answer: 'Understood.' });
      assert.deepEqual([draft.kind, draft.personal], ['preference', true]);
    });
  }

  for (const said of [
    'always use pnpm, never npm',
    'We prefer tabs in this repo',
    'Use British spelling everywhere.',
  ]) {
    it(`about the project is not personal: ${said}`, async () => {
      assert.equal((await only({ prompt: said, answer: 'Understood.' })).personal, undefined);
    });
  }
});

describe('a decision of the user', () => {
  for (const [said, title, reason] of [
    ['We decided to use SQLite because it needs no server.', 'Use SQLite', 'it needs no server'],
    ['We agreed that refresh tokens rotate on every use.', 'Refresh tokens rotate on every use', undefined],
    [
      "Let's go with Kysely as the query layer, because we want to see the SQL",
      'Use Kysely as the query layer',
      'we want to see the SQL',
    ],
    ["we'll use PostgreSQL 16 for the read model", 'Use PostgreSQL 16 for the read model', undefined],
    [
      'We switch to GRDB, SwiftData goes out completely.',
      'We switch to GRDB, SwiftData goes out completely',
      undefined,
    ],
    ['decided: one index for all projects', 'One index for all projects', undefined],
    ["lol ok no. we're not turning off hermes for that", "We're not turning off hermes for that", undefined],
  ] as const) {
    it(`is stored: ${said}`, async () => {
      const draft = await only({ prompt: said, answer: LONG });
      assert.deepEqual([draft.kind, draft.title, draft.reason], ['decision', title, reason]);
      assert.equal(draft.evidence, 'said');
    });
  }

  it('an order that follows a rule is no part of it', async () => {
    const draft = await only({
      prompt: 'never use moment for dates here, use date-fns. Now migrate the calendar to it.',
      answer: LONG,
    });
    assert.deepEqual([draft.title, draft.body], ['Never use moment for dates here, use date-fns', '']);
  });

  it('by agreement takes its subject from the agent’s answer', async () => {
    const draft = await only({
      prompt: "yeah, let's go with pg-boss then",
      answer: 'Done. Confirmation mails now go through a pg-boss job; the route only enqueues it.',
    });
    assert.deepEqual(
      [draft.kind, draft.title, draft.quote],
      ['decision', 'Confirmation mails now go through a pg-boss job', "yeah, let's go with pg-boss then"],
    );
  });

  it('by agreement takes no trouble that the agent reports for the decision', async () => {
    for (const answer of [
      'pg-boss failed to install because Node is too old for it.',
      'The pg-boss package has two critical vulnerabilities in this version.',
      "The mail jobs can't be moved to pg-boss on this machine.",
    ])
      assert.deepEqual(await distill({ prompt: "yeah, let's go with pg-boss then", answer }), [], answer);
  });

  it('by agreement takes its subject and its reason from the turn before', async () => {
    const previous = sampleTurn({
      id: 'turn-0',
      prompt: 'graphile-worker or pg-boss for the mail queue?',
      answer: "I'd take pg-boss: it runs inside the API process.",
    });
    const draft = await only({ prompt: "yeah, let's go with pg-boss then", answer: 'Done.' }, previous);
    assert.deepEqual(
      [draft.title, draft.reason],
      ['Use pg-boss for the mail queue', 'it runs inside the API process'],
    );
  });

  for (const said of [
    "yeah, let's go with pg-boss then",
    "let's go with option 2",
    'B',
    "let's use this version for now because it is smaller",
    "ok, let's keep digging through the list",
    'should we go with SQLite for the index of the journal?',
    "Once it is public, we'll use a bigger one for the team",
    'on the 64 core machine it is slower',
  ]) {
    it(`without a subject stores nothing: ${said}`, async () =>
      assert.deepEqual(await distill({ prompt: said, answer: LONG }), []));
  }
});

describe('other explicit statements of the user', () => {
  for (const [said, kind, title] of [
    ['Please remember that the staging server is read-only', 'discovery', 'The staging server is read-only'],
    [
      'still todo: pitch bend range, it is hardwired to 2 semis',
      'issue',
      'Pitch bend range, it is hardwired to 2 semis',
    ],
    [
      'add that to my list: warn if user:// is not persistent. not now',
      'issue',
      'Warn if user:// is not persistent',
    ],
    [
      'the sandbox answers 200 with an error in the body. needs fixing, not today',
      'issue',
      'The sandbox answers 200 with an error in the body',
    ],
    [
      'we tried scVI on the borrowed GPU, but it mixed two populations',
      'dead_end',
      'Tried scVI on the borrowed GPU',
    ],
  ] as const) {
    it(`${kind}: ${said}`, async () => {
      const draft = await only({ prompt: said, answer: LONG });
      assert.deepEqual([draft.kind, draft.title, draft.evidence], [kind, title, 'said']);
    });
  }

  it('a bug report alone is not an open issue', async () => {
    for (const prompt of ['uploads fail since the last release', 'CI is red again on windows'])
      assert.deepEqual(await distill({ prompt, answer: 'Let me look at the importer first.' }), [], prompt);
  });
});

describe('other languages', () => {
  for (const [said, kind] of [
    ['CSVは今後すべてCP932で出力してください。', 'preference'],
    ['以后金额一律用分存整数', 'preference'],
    ['앞으로는 항상 한국어로 대답해 주세요', 'preference'],
    ['Ab jetzt bitte immer auf Deutsch antworten', 'preference'],
    ['a partir de ahora usa siempre comillas simples', 'preference'],
    ['aqui a gente usa pnpm e nunca npm', 'preference'],
    ['désormais on écrit les prix en centimes entiers', 'preference'],
    ['отныне коммиты пишем на русском языке', 'preference'],
    ['Wir bleiben bei Redis für die Sitzungen', 'decision'],
    ['on reste sur Twig et Stimulus pour le front', 'decision'],
    ['我们决定用 Redis 代替 Memcached', 'decision'],
    ['Die Umbenennung von Slot in Termin steht noch aus', 'issue'],
    ['queda pendiente el correo de bienvenida', 'issue'],
  ] as const) {
    it(`a plain ${kind} is understood: ${said}`, async () => {
      assert.equal((await only({ prompt: said, answer: 'OK.' })).kind, kind);
    });
  }

  it('questions, thanks and orders for the moment are nothing', async () => {
    for (const prompt of [
      '高いですか？',
      '고마워, 잘 됐어',
      'Warum ist das immer so langsam?',
      'commit pas encore, j’attends le retour',
      '先别提交，等我看完',
      'warte mal mit dem deployen, heute nicht mehr',
    ])
      assert.deepEqual(await distill({ prompt, answer: '好的。' }), [], prompt);
  });
});
