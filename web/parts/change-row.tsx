/** A change of a memory: the old text and the new one. */
import type { Change } from '../../src/http/index.ts';
import { to } from '../route.ts';
import { when } from '../time.ts';
import { Kind } from './kind.tsx';
import { Text } from './text.tsx';

const HOW: Readonly<Record<Change['how'], string>> = {
  edited: 'Edited',
  resolved: 'Resolved',
  reopened: 'Open again',
  superseded: 'Replaced',
};

export function ChangeRow({ change }: { readonly change: Change }) {
  const { at, how, memory, projectName } = change;
  return (
    <li class="item" data-testid="change">
      <Kind kind={memory.kind} />
      <div class="item-text">
        <Difference change={change} />
        <p>
          {HOW[how]} · {projectName}
        </p>
      </div>
      <time dateTime={at}>{when(at, new Date())}</time>
    </li>
  );
}

function Difference({ change: { how, memory, before, by } }: { readonly change: Change }) {
  const link = (
    <a href={to.memory(memory.id)} data-row data-memory={memory.id}>
      <Text text={memory.title} />
    </a>
  );
  if (how === 'superseded' && by)
    return (
      <>
        <span class="old">{link}</span>
        <Arrow />
        <a href={to.memory(by.id)}>
          <Text text={by.title} />
        </a>
      </>
    );
  if (how === 'resolved' && by)
    return (
      <>
        {link}
        <Arrow />
        <a href={to.memory(by.id)}>
          <Text text={by.title} />
        </a>
      </>
    );
  if (!before) return link;
  if (before.title !== memory.title)
    return (
      <>
        <span class="old">
          <Text text={before.title} />
        </span>
        <Arrow />
        {link}
      </>
    );
  const [old, now] =
    before.body !== memory.body ? [before.body, memory.body] : [before.reason, memory.reason];
  return (
    <>
      {link}
      <span class="texts">
        {old && (
          <span class="old">
            <Text text={old} />
          </span>
        )}
        <Arrow />
        <Text text={now ?? ''} />
      </span>
    </>
  );
}

function Arrow() {
  return (
    <>
      <span aria-hidden="true"> → </span>
      <span class="unseen"> now: </span>
    </>
  );
}
