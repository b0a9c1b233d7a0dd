/**
 * Shows the requests that wait in the folder of `bench:memory --by replies` or `bench:help`, and stores replies. A person or a language model
 * answers; the request is all they may see.
 *
 *   node bench/memory-answer.mjs --queue DIR [--projects d-01,e-02] [--wait SECONDS] [--prompt-only]   the oldest request
 *   node bench/memory-answer.mjs --queue DIR --list                                                    all of them, by project
 *   node bench/memory-answer.mjs --queue DIR --answer HASH < reply.txt                                 stores a reply
 *   node bench/memory-answer.mjs --queue DIR --pack FILE                                               all replies as one file
 *
 * Exits with 3 if no request waits.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const REQUEST = '.request.json';
const REPLY = '.reply.txt';
/** Session id → project and session, written by the benchmark. */
const SESSION_NAMES = 'sessions.json';
const LOOK_MS = 250;
const EXIT_NONE = 3;

const { values: options } = parseArgs({
  options: {
    queue: { type: 'string' },
    projects: { type: 'string' },
    list: { type: 'boolean', default: false },
    answer: { type: 'string' },
    pack: { type: 'string' },
    wait: { type: 'string', default: '0' },
    'prompt-only': { type: 'boolean', default: false },
  },
});

if (options.queue === undefined) {
  console.error('Give the folder of requests and replies: --queue DIR');
  process.exitCode = 1;
} else if (options.answer !== undefined) process.exitCode = store(options.queue, options.answer);
else if (options.pack !== undefined) pack(options.queue, options.pack);
else if (options.list) list(options.queue);
else process.exitCode = await showOldest(options.queue);

/** Writes the replies to the requests of the last run into one file, for `bench:memory --replies`. */
function pack(folder, file) {
  const hashes = fs
    .readdirSync(folder)
    .filter(
      (name) => name.endsWith(REQUEST) && fs.existsSync(path.join(folder, name.replace(REQUEST, REPLY))),
    )
    .map((name) => name.slice(0, -REQUEST.length))
    .toSorted();
  const replies = hashes.map((hash) => [
    hash,
    fs.readFileSync(path.join(folder, hash + REPLY), 'utf8').trim(),
  ]);
  fs.writeFileSync(file, `${JSON.stringify(Object.fromEntries(replies), null, 1)}\n`);
  console.log(`${replies.length} replies in ${file}`);
}

async function showOldest(folder) {
  const until = Date.now() + Number(options.wait) * 1000;
  let [oldest] = waiting(folder);
  while (oldest === undefined && Date.now() < until) {
    await delay(LOOK_MS);
    [oldest] = waiting(folder);
  }
  if (oldest === undefined) {
    console.error('No request waits.');
    return EXIT_NONE;
  }
  const { hash, name, request } = oldest;
  const head = [
    `request ${hash}  (${name})`,
    `file    ${path.join(folder, hash + REQUEST)}`,
    `reply   ${path.join(folder, hash + REPLY)}`,
  ];
  // A request without a schema is answered in plain text.
  const schema = request.schema
    ? [
        '===== schema: the reply is one JSON object of this shape =====',
        JSON.stringify(request.schema),
        '===== or, instead of JSON =====',
        request.asText,
      ]
    : [];
  const rules = ['===== system =====', request.system, ...schema];
  const parts = options['prompt-only'] ? head : [...head, ...rules];
  console.log([...parts, '===== prompt =====', request.prompt].join('\n'));
  return 0;
}

function list(folder) {
  const all = waiting(folder);
  for (const { hash, name, at } of all.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    console.log(`${name.padEnd(12)} ${at.toISOString().slice(0, 19)}Z  ${hash}`);
  console.log(
    `${all.length} waiting, ${filesIn(folder).filter((file) => file.endsWith(REPLY)).length} answered`,
  );
}

/** Writes the reply beside its request in one step, because the other side looks for the file. */
function store(folder, hash) {
  if (!fs.existsSync(path.join(folder, hash + REQUEST))) {
    console.error(`There is no request ${hash} in ${folder}.`);
    return 1;
  }
  const text = fs.readFileSync(0, 'utf8');
  if (text.trim() === '') {
    console.error('The reply on standard input is empty.');
    return 1;
  }
  const target = path.join(folder, hash + REPLY);
  const draft = `${target}.${process.pid}`;
  fs.writeFileSync(draft, text);
  fs.renameSync(draft, target);
  console.log(target);
  return 0;
}

/** The requests without a reply, the oldest first. */
function waiting(folder) {
  const files = filesIn(folder);
  const names = readJson(path.join(folder, SESSION_NAMES)) ?? {};
  const wanted = options.projects?.split(',');
  return files
    .filter((file) => file.endsWith(REQUEST))
    .map((file) => file.slice(0, -REQUEST.length))
    .filter((hash) => !files.includes(hash + REPLY))
    .flatMap((hash) => {
      const file = path.join(folder, hash + REQUEST);
      const request = readJson(file);
      const stat = fs.statSync(file, { throwIfNoEntry: false });
      if (!request || !stat) return []; // just removed
      return [{ hash, request, at: stat.mtime, name: names[request.session] ?? request.session }];
    })
    .filter(({ name }) => wanted === undefined || wanted.includes(name.split('/')[0]))
    .toSorted((a, b) => a.at - b.at);
}

function filesIn(folder) {
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
}

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
