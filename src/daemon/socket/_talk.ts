/** Keeps what the user and the agent just said, in memory only, to know what the user ordered. Bounded. */
import type { SpooledEvent } from '../../core/index.ts';
import { isMachineMade, STOP } from '../../recall/index.ts';

export interface RecentTalk {
  /** The user's latest prompts, the current one last. */
  readonly prompts: readonly string[];
  /** The agent's last answer. */
  readonly answer: string;
}

export const NO_TALK: RecentTalk = { prompts: [], answer: '' };

export function withEvent(talk: RecentTalk, { input }: SpooledEvent): RecentTalk {
  switch (input.hook_event_name) {
    case 'UserPromptSubmit': {
      const prompt = (input.prompt ?? '').slice(0, STOP.talkChars);
      if (prompt === '' || isMachineMade(prompt)) return talk;
      return { ...talk, prompts: [...talk.prompts, prompt].slice(-STOP.prompts) };
    }
    case 'Stop':
      return { ...talk, answer: (input.last_assistant_message ?? '').slice(-STOP.talkChars) };
    default:
      return talk;
  }
}
