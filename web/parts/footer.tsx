/** Which version this is, where the memories are, and the way out. */
import { useState } from 'preact/hooks';
import { leave } from '../api.ts';
import { useAnswer } from '../use-answer.ts';

export function Footer() {
  const status = useAnswer<'status'>('/status');
  const [left, setLeft] = useState(false);
  const out = async () => {
    await leave();
    setLeft(true);
    location.replace('/');
  };
  return (
    <footer class="bottom">
      <p>
        {status.kind === 'there' && <>Tidemark {status.value.version} · </>}
        Everything here stays on this machine.
      </p>
      <button type="button" class="quiet" disabled={left} onClick={() => void out()}>
        Lock this browser out
      </button>
    </footer>
  );
}
