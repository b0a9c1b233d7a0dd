/** Reads the first lines of a transcript, to see what it is without reading all of it. Never writes. */
import { linesIn, openRegular } from '../../files/index.ts';
import { lineText } from './json-lines.ts';
import { parseObject, type JsonObject } from './json.ts';
import { whyNot } from './listing.ts';

/** Session and folder are in the first lines; a file without them in this many is no transcript. */
const PEEK_LINES = 400;
const PEEK_LINE_BYTES = 4 * 1024 * 1024;

/** Returns the first value that `pick` finds in a line, undefined if none does, or the reason why the file cannot be read. */
export async function peek<T extends object>(
  path: string,
  pick: (line: JsonObject) => T | undefined,
): Promise<T | string | undefined> {
  let handle;
  try {
    handle = await openRegular(path);
  } catch (error) {
    return whyNot(error);
  }
  let read = 0;
  try {
    for await (const { bytes } of linesIn(handle, { maxBytes: PEEK_LINE_BYTES })) {
      if (++read > PEEK_LINES) break;
      const json = bytes && parseObject(lineText(bytes));
      const found = json && pick(json);
      if (found) return found;
    }
    return undefined;
  } catch (error) {
    return whyNot(error);
  } finally {
    await handle.close();
  }
}
