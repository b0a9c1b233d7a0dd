import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personIn } from './person.ts';

const TEAM = [
  { name: 'Tove Lindqvist', email: 'tove.lindqvist@tide.io' },
  { name: 'Bashir', email: '1234+bash1r@users.noreply.github.com' },
  { name: 'Build Bot [bot]', email: 'bot@ci.example.com' },
  { name: 'Will Grant', email: 'will@tide.io' },
];

const NAMES_OR_JUDGES = [
  'Tove wants tabs in every file',
  'Use the layout that Lindqvist proposed',
  'The deploy key belongs to tove.lindqvist@tide.io',
  'bash1r maintains the importer',
  'Bashir owns the importer',
  'Ask @marta-k before the schema changes',
  'Ping @bob',
  'Priya said the queue must stay in Postgres',
  "Henrik's code has no tests",
  'Vikram is slow with reviews',
  'Sofia always forgets the migrations',
  'Xiomara thinks the cache is wrong',
  "Zbigniew's feedback: the names are too long",
  'Send invoices to j.doe@acme.org',
  'He never writes tests',
  'The parser is hers, do not touch it',
  'Our intern keeps breaking the build',
  'The new hire does not understand transactions',
  'My boss wants this by Friday',
  'The customer is rude and impatient',
  'The user was frustrated with the answer',
  'Ruby told us to wait',
  'Max is lazy',
  'Ask Mark',
  'Dr. Okonkwo asked for the report',
  'Herr Vogel möchte die Rechnung als PDF',
  'Katrin findet die Abfrage zu langsam',
  'デプロイは田中さんに確認する',
  'Will Grant reviewed the design',
];

for (const text of NAMES_OR_JUDGES)
  test(`stays local: ${text}`, () => assert.notEqual(personIn(text, TEAM), undefined));

const NAMES_NO_ONE = [
  'Refresh tokens rotate on every use',
  'Use pg-boss for the job queue, because Redis is one more server',
  'Redis always evicts the oldest key',
  'TypeScript complains about the missing type',
  'Postgres wants an index here',
  'Jest prefers ESM since version 30',
  'Claude suggested a smaller batch',
  'The user prefers tabs',
  'The client is slow when the server sends 10 MB',
  'Users never see the error page',
  'Max retries is 5',
  'Mark the job as done before the commit',
  'Julia and Ruby bindings are generated',
  'Jasmine is replaced by Vitest',
  'Cassandra is too slow for this query',
  'Travis runs the nightly build',
  'Install with `npm i @types/node` and tidemark@latest',
  'Imports of @node-saml/node-saml are pinned; uses: actions/checkout@v4',
  'Add @Injectable() and @media print',
  'Mails are sent from noreply@tide.io; tests use ada@example.com',
  'git@github.com is the remote',
  'Run `bob --fast` in scripts/priya/run.sh',
  'The author column stores the id of the member',
  'git blame shows the author of a line',
  'The build bot runs every night',
  'The migration will grant read access',
  'Per project one journal',
  'The manager class owns the pool',
  'Deploys run on Friday, never in December',
  'Round-Robin is the default strategy',
  'It resolves this: the cache, the parser and the rest',
];

for (const text of NAMES_NO_ONE)
  test(`may be shared: ${text}`, () => assert.equal(personIn(text, TEAM), undefined));

test('the reason names the person', () => {
  assert.equal(personIn('Tove wants tabs', TEAM), 'names Tove Lindqvist');
  assert.equal(personIn('Ping @bob'), 'mentions @bob');
  assert.equal(personIn('He never tests'), 'refers to a person');
});
