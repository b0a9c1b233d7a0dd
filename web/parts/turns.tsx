/** The prompts of a session; each expands to its turn. */
import { useState } from 'preact/hooks';
import type { SessionTurn } from '../../src/http/index.ts';
import { clock } from '../time.ts';
import { counted } from '../words.ts';
import { Conversation, ORIGINS, OUTCOMES } from './conversation.tsx';
import { Text } from './text.tsx';

export function Turns({ turns }: { readonly turns: readonly SessionTurn[] }) {
  if (turns.length === 0) return null;
  return (
    <section aria-labelledby="prompts">
      <h2 id="prompts">Prompts</h2>
      <ol class="rows turns">
        {turns.map((turn) => (
          <Turn key={turn.id} turn={turn} />
        ))}
      </ol>
    </section>
  );
}

function Turn({ turn }: { readonly turn: SessionTurn }) {
  const [isOpen, setOpen] = useState(() => new URLSearchParams(location.search).get('turn') === turn.id);
  return (
    <li class="row session">
      <time dateTime={turn.at}>{clock(turn.at)}</time>
      <div class="row-text">
        <p class="prompt">
          <Text text={turn.prompt} />
        </p>
        <p class="small soft">
          {counted(turn.tools, 'tool call')}
          {turn.origin !== 'person' && <> · {ORIGINS[turn.origin]}</>}
          {turn.outcome !== 'answered' && (
            <span class="badge status-interrupted">{OUTCOMES[turn.outcome]}</span>
          )}
        </p>
        {turn.hasTranscript && (
          <button type="button" class="quiet small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide the conversation' : 'Show the conversation'}
          </button>
        )}
        {isOpen && <Conversation id={turn.id} />}
      </div>
    </li>
  );
}
