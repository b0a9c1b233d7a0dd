/** The text of a file, whatever an editor saved it as. Written back it is UTF-8; no character is lost on the way. */
import { isUtf8 } from 'node:buffer';

export function decodeText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le');
  return new TextDecoder('windows-1252').decode(bytes);
}
