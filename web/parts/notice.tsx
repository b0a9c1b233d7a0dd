/** What a view says when it has nothing to show: why, and what to do. */
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api.ts';
import type { Answer } from '../use-answer.ts';

export function Notice(props: {
  readonly title: string;
  /** Where it is all there is in a view, it is the view's heading. */
  readonly alone?: boolean;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="notice">
      <img src="/tidemark.svg" alt="" width="40" height="40" />
      {props.alone ? <h1>{props.title}</h1> : <h2>{props.title}</h2>}
      <div>{props.children}</div>
    </div>
  );
}

export function Trouble({ error, alone = false }: { readonly error: ApiError; readonly alone?: boolean }) {
  return (
    <div role="alert">
      <Notice title={error.message} alone={alone}>
        {error.hint && <p>{withCode(error.hint)}</p>}
      </Notice>
    </div>
  );
}

/** Shows an answer once it is there; until then nothing, because the daemon is quick and a flicker is worse. */
export function Shown<T>(props: {
  readonly answer: Answer<T>;
  /** The view has no heading of its own until the answer is there. */
  readonly alone?: boolean;
  readonly children: (value: T) => ComponentChildren;
}) {
  const { answer, alone = false, children } = props;
  switch (answer.kind) {
    case 'waiting':
      return <div class="waiting" aria-busy="true" />;
    case 'failed':
      return <Trouble error={answer.error} alone={alone} />;
    case 'there':
      return <>{children(answer.value)}</>;
  }
}

export function NothingYet() {
  return (
    <Notice title="Nothing is remembered yet">
      <p>Install the plugin and work in Claude Code as usual; what is worth knowing later appears here.</p>
      <pre>
        <code>tidemark install</code>
      </pre>
      <p>Or bring in the sessions Claude Code already has on this machine:</p>
      <pre>
        <code>tidemark import history</code>
      </pre>
    </Notice>
  );
}

/** Hints are written for terminals: what stands in backticks is a command. */
function withCode(text: string) {
  return text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));
}
