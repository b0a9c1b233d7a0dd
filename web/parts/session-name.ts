/** The name of a session: its title, its first prompt, or the time when it began. */
import { dateAndTime } from '../time.ts';

interface Named {
  readonly title?: string;
  readonly startedAt: string;
}

export function sessionName({ title, startedAt }: Named): string {
  return title ?? `Session of ${dateAndTime(startedAt)}`;
}
