/** What a person can do to a memory, from wherever it is shown. Each ends in a word, and in a way back where there is one. */
import type { MemoryDetail } from '../../src/http/index.ts';
import { ask, asApiError } from '../api.ts';
import { touched } from '../live.ts';
import { go, to } from '../route.ts';
import { storeOf } from '../store.ts';
import { EditDialog } from './edit-dialog.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { SupersedeDialog } from './supersede-dialog.tsx';
import { say } from './toasts.tsx';

type Doing = { readonly what: 'edit' | 'move' | 'supersede'; readonly of: MemoryDetail };

/** The dialog that is open, if one is. */
const doing = storeOf<Doing | undefined>(undefined);

export function begin(what: Doing['what'], of: MemoryDetail): void {
  doing.set(() => ({ what, of }));
}

export async function editOf(id: string): Promise<void> {
  await told(async () => begin('edit', await ask('GET /memories/:id', { id })));
}

export async function forgetById(id: string): Promise<void> {
  const isItsPage = location.pathname === to.memory(id);
  stepOff(id);
  await told(async () => {
    await ask('POST /memories/:id/forget', { id, body: {} });
    touched();
    if (isItsPage) go('/');
    say('Forgotten. Its text is erased for good in 24 hours.', async () => {
      await ask('POST /memories/:id/undo-forget', { id, body: {} });
      touched();
      if (isItsPage) go(to.memory(id));
      say('It is remembered again.');
    });
  });
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
