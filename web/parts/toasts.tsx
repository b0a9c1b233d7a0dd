/** Short messages after an action, with undo where possible. They stay while hovered or focused. */
import { useEffect, useState } from 'preact/hooks';
import { storeOf } from '../store.ts';
import { withCode } from './notice.tsx';

interface Toast {
  readonly key: number;
  readonly text: string;
  readonly undo?: () => Promise<void>;
}

/** Enough to read it and reach the button by keyboard. */
const SHOWN_MS = 15_000;

const toasts = storeOf<readonly Toast[]>([]);
let last = 0;

export function showToast(text: string, undo?: () => Promise<void>): void {
  const toast = { key: ++last, text, ...(undo ? { undo } : {}) };
  toasts.set((all) => [...all.slice(-2), toast]);
}

/** Undoes the newest action that can be undone. */
export function undoLast(): void {
  const last = toasts.get().findLast(({ undo }) => undo !== undefined);
  if (last) undoNow(last);
}

function undoNow(toast: Toast): void {
  remove(toast);
  void toast
    .undo?.()
    .catch((error: unknown) => showToast(error instanceof Error ? error.message : String(error)));
}

function remove(toast: Toast): void {
  toasts.set((all) => all.filter(({ key }) => key !== toast.key));
}

export function Toasts() {
  const all = toasts.use();
  return (
    <div class="toasts" role="status" aria-live="polite">
      {all.map((toast) => (
        <One key={toast.key} toast={toast} />
      ))}
    </div>
  );
}

function One({ toast }: { readonly toast: Toast }) {
  const [isPaused, setPaused] = useState(false);
  const close = () => remove(toast);
  useEffect(() => {
    if (isPaused) return;
    const timer = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isPaused]);
  return (
    <div
      class="toast"
      onMouseEnter={() => setPaused(true)}
      onMouseLeave={() => setPaused(false)}
      onFocusCapture={() => setPaused(true)}
      onBlurCapture={() => setPaused(false)}
    >
      <span>{withCode(toast.text)}</span>
      {toast.undo && (
        <button type="button" onClick={() => undoNow(toast)}>
          Undo <kbd aria-hidden="true">u</kbd>
        </button>
      )}
      <button type="button" aria-label="Dismiss" onClick={close}>
        ✕
      </button>
    </div>
  );
}
