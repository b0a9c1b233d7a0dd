import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAside } from './aside.ts';

const all = (prompts: readonly string[], expected: boolean) => {
  for (const prompt of prompts) assert.equal(isAside(prompt), expected, prompt);
};

test('general questions need no memory', () => {
  all(
    [
      'what does git rebase --onto do?',
      'How do I exit vim',
      'whats the difference between a thread and a coroutine',
      'please explain how the event loop works',
      'is there a standard function that chunks a list',
      'What is a phasor?',
      'was ist ein Monad?',
      'explícame qué hace esta línea',
      '解释一下这个正则',
    ],
    true,
  );
});

test('simple commands need no memory', () => {
  all(
    [
      'sort the imports in src/a.ts',
      'ok, now rename tmp to something better',
      'push it',
      'übersetze die FAQ',
    ],
    true,
  );
});

test('a question with "we" is about this project', () => {
  all(
    ['what is the formula we use for the price?', 'what does our retry policy say', 'was ist unsere Regel'],
    false,
  );
});

test('work on the project may need memory, no matter how the prompt begins', () => {
  all(
    [
      'What is still open?',
      'what is the timeout of the sync',
      'the export fails after 15 seconds',
      'why does the worker retry twice?',
      'listing orders is slow',
      'bump maplibre to 11.6',
      'whatever you did, the build is red',
      'add a migration for the orders table',
    ],
    false,
  );
});
