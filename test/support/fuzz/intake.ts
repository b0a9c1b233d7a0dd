/** Fuzz targets: what a hook sends, and the spool's lines. */
import assert from 'node:assert/strict';
import { HOOK_NAMES, isHookName, type HookName } from '../../../src/core/index.ts';
import { readIntake } from '../../../src/daemon/socket/hook-handler.ts';
import { readSpooledEvent, toSpooledEvent } from '../../../src/privacy/index.ts';
import { decodeLine, encodeLine, idOfLine, readEvent } from '../../../src/storage/spool/line.ts';
import { randomFrom, type Random } from '../random.ts';
import { hookInputs } from './corpus.ts';
import type { Target } from './engine.ts';
import { mutated, mutatedJson } from './mutate.ts';

const INPUTS = hookInputs();
const TEXTS = INPUTS.map((input) => JSON.stringify(input));
const AT = new Date('2026-11-16T10:00:00.000Z');
const ATTEMPT = 'attempt-0123456789';
/** The limit of a field and the remark about what was cut. A placeholder may be longer than its secret. */
const LONGEST_FIELD = 80 * 1024;

/** The parser of hook input never throws, keeps only known fields within their limits, and its events survive the spool. */
export const hookInput: Target = {
  name: 'hook input',
  weight: 20,
  make: hookText,
  check: (input, random) => {
    const parse = toSpooledEvent(input, nameOf(input, random), { attempt: ATTEMPT, projectDir: '/p' }, AT);
    if (!parse.ok) return assert.ok(parse.reason.length < 100);
    const { event } = parse;
    assert.equal(event.id, ATTEMPT);
    assert.ok(event.input.session_id !== undefined);
    for (const [key, value] of Object.entries(event.input)) {
      assert.ok(FIELDS.has(key), `an unknown field: ${key}`);
      if (typeof value === 'string') assert.ok(value.length <= LONGEST_FIELD, `${key}: ${value.length}`);
    }
    const line = encodeLine(event);
    const read = decodeLine(line.subarray(0, -1));
    assert.ok(read.ok, 'the spool reads its own line');
    assert.deepEqual(read.event, event);
    assert.equal(idOfLine(line.subarray(0, -1)), ATTEMPT);
    assert.deepEqual(readSpooledEvent(JSON.parse(JSON.stringify(event))), event);
    assert.equal(({} as Record<string, unknown>)['x'], undefined, 'no prototype is changed');
  },
};

const FIELDS = new Set([
  'session_id',
  'hook_event_name',
  'transcript_path',
  'cwd',
  'prompt_id',
  'prompt',
  'source',
  'reason',
  'trigger',
  'agent_id',
  'agent_type',
  'agent_transcript_path',
  'last_assistant_message',
  'session_title',
  'stop_hook_active',
  'background_tasks',
]);

const ENVELOPE = `attempt: ${ATTEMPT}\nclient: 0.1.0\nproject-dir: /home/dev/project\nprogram: /p/dist\npid: 4242\n`;

/** The body of the socket's protocol: an envelope and the input, of which any byte may be wrong. */
export const hookBody: Target = {
  name: 'hook body',
  weight: 10,
  make: (random) => {
    const envelope = random.below(3) === 0 ? mutated(random, ENVELOPE) : ENVELOPE;
    return `${envelope}\n${hookText(random)}`;
  },
  check: (input, random) => {
    const body = bytesOf(input, random);
    const { parse, pid, clientVersion } = readIntake(body, nameOf(input, random), AT);
    if (pid !== undefined) assert.ok(Number.isSafeInteger(pid) && pid >= 0);
    if (clientVersion !== undefined) assert.equal(typeof clientVersion, 'string');
    if (!parse.ok) return;
    assert.match(parse.event.id, /^[A-Za-z0-9-]{8,80}$/);
    const read = decodeLine(encodeLine(parse.event).subarray(0, -1));
    assert.ok(read.ok);
    assert.deepEqual(read.event, parse.event);
  },
};

const LINES = INPUTS.flatMap((input) => {
  const name = input['hook_event_name'];
  if (typeof name !== 'string' || !isHookName(name)) return [];
  const parse = toSpooledEvent(JSON.stringify(input), name, { attempt: ATTEMPT }, AT);
  return parse.ok ? [encodeLine(parse.event).subarray(0, -1).toString('utf8')] : [];
});

/** A damaged line of the spool is never taken for an event: its checksum differs. */
export const spoolLine: Target = {
  name: 'spool line',
  weight: 12,
  make: (random) => mutated(random, LINES[random.below(LINES.length)] ?? '', LINES),
  check: (input, random) => {
    const bytes = bytesOf(input, random);
    const line = decodeLine(bytes);
    // The last byte is a bracket outside of the event.
    const read = bytes.subarray(0, -1).toString('utf8');
    if (line.ok)
      assert.ok(
        LINES.some((known) => known.slice(0, -1) === read),
        'only a line that was written is read',
      );
    const inbox = readEvent(input.slice(input.indexOf('{', 1)));
    if (inbox.ok) assert.match(inbox.event.id, /^[A-Za-z0-9-]{8,80}$/);
    idOfLine(bytes);
  },
};

/** Returns the text of a hook's stdin. Also used for the real hook program. */
export function hookText(random: Random): string {
  const at = random.below(INPUTS.length);
  const text = random.below(4) === 0 ? (TEXTS[at] ?? '') : mutatedJson(random, INPUTS[at]);
  return random.below(3) === 0 ? mutated(random, text, TEXTS) : text;
}

/** Mostly the event that the input names, so that most inputs get past that check. */
export function nameOf(input: string, random: Random): HookName {
  const named = /"hook_event_name":"(\w{1,20})"/.exec(input)?.[1] ?? '';
  if (isHookName(named) && random.below(10) > 0) return named;
  return random.pick(HOOK_NAMES as unknown as readonly [HookName, ...HookName[]]);
}

/** The text as bytes, some of them flipped, so that it need not be valid UTF-8. */
export function bytesOf(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const flips = random.below(4) === 0 ? 1 + random.below(4) : 0;
  for (let i = 0; i < flips && bytes.length > 0; i++) {
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  }
  return bytes;
}

/** The inputs of many cases in a row, for tests that send them to a process. */
export function* hookTexts(seed: number): Generator<{ text: string; random: Random }> {
  for (let n = 0; ; n++) {
    const random = randomFrom(seed + n);
    yield { text: hookText(random), random };
  }
}
