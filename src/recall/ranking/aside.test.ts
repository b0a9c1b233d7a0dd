import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAside } from './aside.ts';

const all = (prompts: readonly string[], expected: boolean) => {
  for (const prompt of prompts) assert.equal(isAside(prompt), expected, prompt);
};

test('what anybody knows is no question to the past', () => {
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

test('a turn of the hand is none either', () => {
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

test('who says we asks for what was settled here', () => {
  all(
    ['what is the formula we use for the price?', 'what does our retry policy say', 'was ist unsere Regel'],
    false,
  );
});

test('work on the project is not aside, whatever it begins with', () => {
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
