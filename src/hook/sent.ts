/** Reads the result of a first attempt at the daemon's socket. */
import { SENT, type Sent } from '../files/index.ts';

/** Parses the argument of hook.sh, `unsent` or the exit status of curl, and of a plugin, which names the result. */
export function parseSent(argument: string): Sent {
  const named = SENT.find((sent) => sent === argument);
  if (named) return named;
  return BY_CURL_STATUS[argument] ?? (/^\d+$/.test(argument) ? 'broken' : 'unsent');
}

const BY_CURL_STATUS: Readonly<Record<string, Sent>> = {
  '7': 'refused',
  '22': 'rejected',
  '28': 'timed-out',
  '126': 'unsent', // curl cannot be executed
  '127': 'unsent', // curl disappeared after the check
};
