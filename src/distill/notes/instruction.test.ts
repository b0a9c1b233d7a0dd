import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { NOT_NOTED, NOTE_MOMENTS, noteInstruction, toolInstruction } from './instruction.ts';
import { parseNotes } from './parse-notes.ts';

const SKILL = join(import.meta.dirname, '../../../plugin/skills/memory-recall/SKILL.md');

test('brief, tools and skill name the same moments and the same exceptions', () => {
  const texts = [
    noteInstruction('answer'),
    noteInstruction('tool'),
    toolInstruction('answer', false),
    toolInstruction('tool', false),
    readFileSync(SKILL, 'utf8'),
  ];
  for (const text of texts) {
    assert.ok(text.includes(NOTE_MOMENTS), text);
    assert.ok(text.includes(NOT_NOTED), text);
  }
});

test('switched off, no one is asked for notes', () => {
  assert.equal(noteInstruction('off'), '');
  assert.ok(!toolInstruction('off', false).includes(NOTE_MOMENTS));
});

test('the tools of a session with a brief do not repeat it', () => {
  for (const form of ['answer', 'tool', 'off'] as const) assert.ok(toolInstruction(form, true).length < 120);
});

test('the example of the instruction is a valid note', () => {
  const line = noteInstruction('answer')
    .split('\n')
    .find((one) => one.startsWith('Noted'));
  const [note] = parseNotes(`Done.\n\n${line}`).operations;
  assert.ok(note?.op === 'add');
  assert.equal(note.draft.title, 'Use pg-boss for the job queue');
  assert.equal(note.draft.kind, 'decision');
  assert.equal(note.quote, "let's go with pg-boss");
});

test('an answer that repeats the instruction contains no note', () => {
  const answer = `My instructions say: ${noteInstruction('answer')}`;
  assert.deepEqual(parseNotes(answer).operations, []);
});

test('the instruction is short', () => {
  assert.ok(noteInstruction('answer').length < 1200);
  assert.ok(noteInstruction('tool').length < 700);
});
