/** What a view says when it has nothing to show: why, and what to do. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiError } from '../api.ts';
import { BASE } from '../base.ts';
import { useTeam } from '../here.ts';
import { to } from '../route.ts';
import type { Answer } from '../use-answer.ts';

export function Notice(props: {
  readonly title: string;
  /** Where it is all there is in a view, it is the view's heading. */
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

export function Trouble({ error, alone = false }: { readonly error: ApiError; readonly alone?: boolean }) {
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

/** A fresh install: what this is, and the two things to do. */
export function NothingYet({ alone = false }: { readonly alone?: boolean }) {
  const team = useTeam();
  if (team) return <NothingShared alone={alone} mayShare={team.mayWrite} />;
  return (
    <Notice title="Nothing is remembered yet" alone={alone}>
      <p>
        Install the plugin once, then work in Claude Code as usual. What is worth knowing later appears here
        by itself.
      </p>
      <Command text="tidemark install" />
      <p>
        Or begin with what is already there: the sessions Claude Code kept on this machine. It is free, needs
        no model, and nothing leaves the machine.
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
            Memories come here from your machines: log in there, then share a project. What will leave the
            machine is shown first.
          </p>
          <Command text="tidemark share ." />
        </>
      ) : (
        <p>Who made a project, or an owner of the team, can share it with you.</p>
      )}
    </Notice>
  );
}

export function Command({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => undefined, // a browser that does not allow it; the text can be marked by hand
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

/** Hints are written for terminals: what stands in backticks is a command. */
export function withCode(text: string) {
  return text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));
}
