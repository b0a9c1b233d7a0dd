/** How the event fared at the socket before the fallback got it. */

/**
 * `unsent`: nobody tried. `refused`: nobody listens. `rejected`: an HTTP error, so somebody does.
 * `timed-out`: no whole answer in time. `broken`: anything else, such as an answer that was cut.
 */
export type Sent = 'unsent' | 'refused' | 'rejected' | 'timed-out' | 'broken';

/** The last argument hook.sh gives: `unsent`, or the exit status of curl. */
export function parseSent(argument: string): Sent {
  return BY_CURL_STATUS[argument] ?? (/^\d+$/.test(argument) ? 'broken' : 'unsent');
}

const BY_CURL_STATUS: Readonly<Record<string, Sent>> = {
  '7': 'refused',
  '22': 'rejected',
  '28': 'timed-out',
  '126': 'unsent', // curl is there but cannot be run
  '127': 'unsent', // curl went away between the look and the call
};
