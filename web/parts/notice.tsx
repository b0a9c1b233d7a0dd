/** Notices for views without content: the reason, and what to do. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiError } from '../api.ts';
import { BASE } from '../base.ts';
import { useTeam } from '../here.ts';
import { to } from '../route.ts';
import type { Answer } from '../use-answer.ts';

export function Notice(props: {
  readonly title: string;
  /** The notice is the whole view: its title is the view's heading. */
  readonly alone?: boolean;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="notice">
      <img src={to.view('/tidemark.svg')} alt="" width="40" height="40" />
      {props.alone ? <h1>{props.title}</h1> : <h2>{props.title}</h2>}
      <div>{props.children}</div>
    </div>
  );
}

export function ErrorNotice({
  error,
  alone = false,
}: {
  readonly error: ApiError;
  readonly alone?: boolean;
}) {
  return (
    <div role="alert">
      <Notice title={error.message} alone={alone}>
        {error.hint && <p>{withCode(error.hint)}</p>}
        {error.code === 'locked' && BASE !== '' && (
          <p>
            <a class="button main" href={to.view('/login.html')} target="_self">
              Log in
            </a>
          </p>
        )}
      </Notice>
    </div>
  );
}

/** Shows an answer once it arrives. No spinner before that: the server is fast, and a flicker is worse. */
export function Shown<T>(props: {
  readonly answer: Answer<T>;
  /** The view has no heading of its own before the answer arrives. */
  readonly alone?: boolean;
  readonly children: (value: T) => ComponentChildren;
}) {
  const { answer, alone = false, children } = props;
  switch (answer.kind) {
    case 'waiting':
      return <div class="waiting" aria-busy="true" />;
    case 'failed':
      return <ErrorNotice error={answer.error} alone={alone} />;
    case 'there':
      return <>{children(answer.value)}</>;
  }
}

/** For a new install: how to begin. */
export function NothingYet({ alone = false }: { readonly alone?: boolean }) {
  const team = useTeam();
  if (team) return <NothingShared alone={alone} mayShare={team.mayWrite} />;
  return (
    <Notice title="No memories yet" alone={alone}>
      <p>
        Install Tidemark into your coding agent once, then work as usual. What you decide, fix and learn
        appears here by itself.
      </p>
      <Command text="tidemark install" />
      <p>
        Or start with the sessions that your agent already stored on this machine. It is free, and nothing
        leaves the machine.
      </p>
      <p>
        <a class="button main" href={to.view('/import')}>
          Import past sessions
        </a>
      </p>
    </Notice>
  );
}

function NothingShared({ alone, mayShare }: { readonly alone: boolean; readonly mayShare: boolean }) {
  return (
    <Notice title="Nothing is shared with you yet" alone={alone}>
      {mayShare ? (
        <>
          <p>
            Memories come from the machines of your team: log in there, then share a project. Tidemark shows
            what will leave the machine before it sends anything.
          </p>
          <Command text="tidemark share ." />
        </>
      ) : (
        <p>The creator of a project or an owner of the team can share it with you.</p>
      )}
    </Notice>
  );
}

function Command({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => undefined, // the browser does not allow it; the text can be selected by hand
    );
  return (
    <div class="command">
      <code>{text}</code>
      <button type="button" class="button" onClick={copy}>
        {copied ? 'Copied' : 'Copy'}
        <span class="unseen"> {text}</span>
      </button>
    </div>
  );
}

/** Hints have commands in backticks, as for a terminal. */
export function withCode(text: string) {
  return text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));
}
