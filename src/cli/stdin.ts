/** Reads text from stdin, for verbs that were given `-` in place of a text. Refuses an input that is too large. */
import { optionText, usageError, type Context } from './verb.ts';

/** Longer than any memory; a larger input is a file given by mistake. */
const LONGEST_TEXT = 64 * 1024;

/** Whether the value stands for the text on stdin. */
export const isStdin = (text: string | undefined): boolean => text === '-';

/** Returns the text on stdin without blanks around it. At a terminal it says how to end the input. */
export async function textFromStdin(
  { screen }: Pick<Context, 'screen'>,
  most = LONGEST_TEXT,
): Promise<string> {
  if (process.stdin.isTTY) screen.say('Reading from the terminal. End with Ctrl-D on an empty line.');
  const text = await allOfStdin(most);
  if (text === undefined)
    throw usageError(
      `the text on stdin is longer than ${most.toLocaleString('en')} characters`,
      'Give a shorter text; to search a folder of notes: tidemark import markdown <folder>',
    );
  if (text.trim() === '')
    throw usageError('there is no text on stdin', 'Pipe it: echo "the text" | tidemark …');
  return text.trim();
}

/** Replaces the one option whose value is `-` by the text on stdin. */
export async function withStdin(context: Context, names: readonly string[]): Promise<Context> {
  const asked = names.filter((name) => isStdin(optionText(context.options, name)));
  const [name, second] = asked;
  if (name === undefined) return context;
  if (second !== undefined || context.args.some(isStdin))
    throw usageError('only one text can be read from stdin', 'Use "-" once.');
  return { ...context, options: { ...context.options, [name]: await textFromStdin(context) } };
}

/** Returns everything on stdin, or undefined if it is longer than `most` characters. */
export async function allOfStdin(most: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(Buffer.from(chunk as Uint8Array));
    size += chunks.at(-1)?.length ?? 0;
    // A character has at most four bytes.
    if (size > 4 * most) return undefined;
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return text.length > most ? undefined : text;
}
