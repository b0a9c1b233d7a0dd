/** A user at a terminal: types, and waits until the screen shows the state of the client. */
import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { Stage } from '../../support/claude.ts';
import { newestPrompt, type ModelRequest, type Reply } from '../../support/mock-model.ts';
import { openTerminal, type Terminal } from '../../support/tmux.ts';
import { waitFor } from '../../support/wait-for.ts';

const QUESTION = 'Do you want to proceed?';
const PRESS_AGAIN_MS = 1000;

export interface Seated {
  readonly terminal: Terminal;
  /** The session that begins. */
  readonly session: string;
}

/** Starts the client and waits until it takes input. `default` asks before a tool may change something. */
export async function sitDown(
  t: TestContext,
  stage: Stage,
  programs: { readonly tmux: string; readonly claude: string },
): Promise<Seated> {
  const session = randomUUID();
  const args = ['--session-id', session, '--permission-mode', 'default'];
  const terminal = await openTerminal(t, stage, { ...programs, args });
  await terminal.waitFor('❯');
  return { terminal, session };
}

/** Sets the model's replies to prompts that begin so, one per step. */
export function script(stage: Stage, prompt: string, ...steps: readonly Reply[]): void {
  const rules = steps.map((reply, step) => ({
    when: { prompt: `(?:^|\\n)${prompt}`, step, hasTool: 'Bash' },
    reply,
  }));
  stage.mock.rules.push(...rules);
}

/** Types a prompt and waits until the screen shows the answer. */
export async function ask(terminal: Terminal, prompt: string, answer: string): Promise<void> {
  await terminal.submit(prompt);
  await terminal.waitFor(answer);
}

/** Waits until the model has been asked for this step of a prompt, which it then takes its time for. */
export async function modelIsAsked(stage: Stage, prompt: string, step: number): Promise<ModelRequest> {
  return waitFor(`the model to be asked for step ${step} of “${prompt}”`, () =>
    stage.mock.requests.find(({ messages, tools }) => {
      const newest = newestPrompt(messages);
      return newest.text.includes(prompt) && newest.step === step && (tools?.length ?? 0) > 0;
    }),
  );
}

/** Presses Esc; the client says that it stopped once more than before. */
export async function interrupt(terminal: Terminal): Promise<void> {
  const count = (screen: string): number => screen.match(/Interrupted/g)?.length ?? 0;
  const before = count(await terminal.screen());
  await terminal.press('Escape');
  let screen = '';
  const hasStopped = async (): Promise<boolean> => count((screen = await terminal.screen())) > before;
  await waitFor('the client to stop', hasStopped, { explain: () => screen });
}

/** Denies what the client asks. A question that has just appeared may ignore the first key. */
export async function deny(terminal: Terminal): Promise<void> {
  await terminal.waitFor(QUESTION);
  let pressedAt = 0;
  await waitFor('the question to be gone', async () => {
    if (!(await terminal.screen()).includes(QUESTION)) return true;
    if (Date.now() - pressedAt < PRESS_AGAIN_MS) return false;
    pressedAt = Date.now();
    await terminal.press('Escape');
    return false;
  });
}

export async function leave(terminal: Terminal): Promise<void> {
  await terminal.submit('/exit');
  await waitFor('the client to leave', async () => !(await terminal.isRunning()));
}
