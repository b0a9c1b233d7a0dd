/** Actions on a memory, for every view that shows one. Each ends with a message, and with undo where possible. */
import type { MemoryDetail } from '../../src/http/index.ts';
import { ask, asApiError } from '../api.ts';
import { isTeam } from '../here.ts';
import { memoriesChanged } from '../live.ts';
import { go, to } from '../route.ts';
import { storeOf } from '../store.ts';
import { EditDialog } from './edit-dialog.tsx';
import { ForgetDialog, MoveDialog, SupersedeDialog } from './memory-dialogs.tsx';
import { showToast } from './toasts.tsx';

type Action = { readonly what: 'edit' | 'move' | 'supersede' | 'forget'; readonly of: MemoryDetail };

/** The open dialog. */
const current = storeOf<Action | undefined>(undefined);

export function openDialog(what: Action['what'], of: MemoryDetail): void {
  current.set(() => ({ what, of }));
}

export async function editById(id: string): Promise<void> {
  await reportErrors(async () => {
    const detail = await ask('GET /memories/:id', { id });
    if (detail.actions.includes('edit')) openDialog('edit', detail);
    else showToast('You can read this memory but not change it.');
  });
}

export async function forgetById(id: string): Promise<void> {
  if (isTeam()) return reportErrors(() => confirmForget(id));
  const isItsPage = location.pathname === to.memory(id);
  stepOff(id);
  // First, because the page of a forgotten memory would show that it does not exist.
  if (isItsPage) go(to.view('/'));
  await reportErrors(async () => {
    await ask('POST /memories/:id/forget', { id, body: {} }).catch((error: unknown) => {
      if (isItsPage) go(to.memory(id));
      throw error;
    });
    memoriesChanged();
    showToast('Forgotten. You can restore it from the trash for 24 hours.', async () => {
      await restore(id);
      if (isItsPage) go(to.memory(id));
    });
  });
}

export async function restoreById(id: string): Promise<void> {
  await reportErrors(() => restore(id));
}

async function restore(id: string): Promise<void> {
  await ask('POST /memories/:id/undo-forget', { id, body: {} });
  memoriesChanged();
  showToast('Restored.');
}

/** For a team it cannot be undone, so the user confirms first. */
async function confirmForget(id: string): Promise<void> {
  const detail = await ask('GET /memories/:id', { id });
  if (detail.actions.includes('forget')) openDialog('forget', detail);
  else showToast('You can read this memory but not forget it.');
}

export async function setOpen({ memory, revision }: MemoryDetail, open: boolean): Promise<void> {
  await reportErrors(async () => {
    await ask(open ? 'POST /memories/:id/reopen' : 'POST /memories/:id/resolve', {
      id: memory.id,
      body: { revision },
    });
    memoriesChanged();
    showToast(open ? 'The issue is open again.' : 'The issue is resolved.');
  });
}

export function CurrentDialog() {
  const open = current.use();
  if (!open) return null;
  const close = () => current.set(() => undefined);
  const done = (text: string) => {
    close();
    memoriesChanged();
    showToast(text);
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

/** Moves the focus to the next row before this one disappears. */
function stepOff(id: string): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const at = rows.findIndex((row) => row === document.activeElement && row.dataset['memory'] === id);
  if (at >= 0) (rows[at + 1] ?? rows[at - 1])?.focus();
}

async function reportErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { message, hint } = asApiError(error);
    showToast(hint === undefined ? message : `${message} ${hint}`);
  }
}
