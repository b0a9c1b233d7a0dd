/** A key typed without showing it, or read from stdin. Never from an argument: those are seen by every process and kept by shells. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { TidemarkError } from '../../../core/index.ts';

/** Nothing that is a key is longer; a file handed in by mistake is. */
const LONGEST_KEY = 4096;

export async function readKey(fromStdin: boolean): Promise<string> {
  const key = (fromStdin ? await allOfStdin() : await typed()).trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new TidemarkError('usage', key === '' ? 'no key was given' : 'that is no key: it is one word', {
    hint: 'The key begins with tmk_ and is shown once, when it is made.',
  });
}

async function typed(): Promise<string> {
  if (!process.stdin.isTTY)
    throw new TidemarkError('usage', 'a key can be typed only at a terminal', {
      hint: 'Hand it in: tidemark login <url> --key-stdin < key-file',
    });
  process.stderr.write('Key (it is not shown): ');
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asking = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await asking.question('');
  } finally {
    asking.close();
    process.stderr.write('\n');
  }
}

async function allOfStdin(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.length > LONGEST_KEY) break;
  }
  return text.length > LONGEST_KEY ? '' : text;
}
