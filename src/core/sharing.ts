/** Words about sharing that several programs use. */

/** Why an entry stays on this machine that the user held back. */
export const HELD_BY_USER = 'held back by you';

const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;
const DAY_MS = 24 * 60 * 60_000;

/** `14:30`, or for another day `17 November at 14:30`, in the user's time zone. */
export function sharingTime(at: string, now: Date): string {
  const date = new Date(at);
  const clock = date.toLocaleTimeString('en-GB', CLOCK);
  if (Math.abs(date.getTime() - now.getTime()) < DAY_MS) return clock;
  return `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long' })} at ${clock}`;
}
