/** What a person can do to a memory, from wherever it is shown. Each ends in a word, and in a way back where there is one. */
import type { MemoryDetail } from '../../src/http/index.ts';
import { ask, asApiError } from '../api.ts';
import { isTeam } from '../here.ts';
import { touched } from '../live.ts';
import { go, to } from '../route.ts';
import { storeOf } from '../store.ts';
import { EditDialog } from './edit-dialog.tsx';
import { ForgetDialog } from './forget-dialog.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { SupersedeDialog } from './supersede-dialog.tsx';
import { say } from './toasts.tsx';

type Doing = { readonly what: 'edit' | 'move' | 'supersede' | 'forget'; readonly of: MemoryDetail };

/** The dialog that is open, if one is. */
const doing = storeOf<Doing | undefined>(undefined);

export function begin(what: Doing['what'], of: MemoryDetail): void {
  doing.set(() => ({ what, of }));
}

export async function editOf(id: string): Promise<void> {
  await told(async () => {
    const detail = await ask('GET /memories/:id', { id });
    if (detail.actions.includes('edit')) begin('edit', detail);
    else say('You may read this memory, not change it.');
  });
}

export async function forgetById(id: string): Promise<void> {
  if (isTeam()) return told(() => askToForget(id));
  const isItsPage = location.pathname === to.memory(id);
  stepOff(id);
  await told(async () => {
    await ask('POST /memories/:id/forget', { id, body: {} });
    touched();
    if (isItsPage) go(to.view('/'));
    say('Forgotten. Its text is erased for good in 24 hours.', async () => {
      await ask('POST /memories/:id/undo-forget', { id, body: {} });
      touched();
      if (isItsPage) go(to.memory(id));
      say('It is remembered again.');
    });
  });
}

/** What a whole team has is gone for all of it, with no way back: asked first. */
async function askToForget(id: string): Promise<void> {
  const detail = await ask('GET /memories/:id', { id });
  if (detail.actions.includes('forget')) begin('forget', detail);
  else say('You may read this memory, not forget it.');
}

export async function setOpen({ memory, revision }: MemoryDetail, open: boolean): Promise<void> {
  await told(async () => {
    await ask(open ? 'POST /memories/:id/reopen' : 'POST /memories/:id/resolve', {
      id: memory.id,
      body: { revision },
    });
    touched();
    say(open ? 'The issue is open again.' : 'The issue is resolved.');
  });
}

export function OpenDialog() {
  const open = doing.use();
  if (!open) return null;
  const close = () => doing.set(() => undefined);
  const done = (text: string) => {
    close();
    touched();
    say(text);
  };
  switch (open.what) {
    case 'edit':
      return <EditDialog detail={open.of} onClose={close} onDone={done} />;
    case 'move':
      return <MoveDialog detail={open.of} onClose={close} onDone={done} />;
    case 'forget':
      return <ForgetDialog detail={open.of} onClose={close} onDone={done} />;
    case 'supersede':
      return <SupersedeDialog detail={open.of} onClose={close} onDone={done} />;
  }
}

/** The row goes; who is on it goes on with the next. */
function stepOff(id: string): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((row) => row === document.activeElement && row.dataset['memory'] === id);
  if (at >= 0) (rows[at + 1] ?? rows[at - 1])?.focus();
}

async function told(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { message, hint } = asApiError(error);
    say(hint === undefined ? message : `${message} ${hint}`);
  }
}
