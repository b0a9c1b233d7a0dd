/** Whether capture is alive and well, and what to do where it is not. */
import type { CaptureHealth } from '../../src/http/index.ts';
import { to } from '../route.ts';
import { dateAndTime, since } from '../time.ts';
import { counted } from '../words.ts';
import { Icon } from './icon.tsx';

interface Check {
  readonly state: 'ok' | 'warn' | 'bad';
  readonly text: string;
  readonly hint?: string;
  readonly href?: string;
}

export function Health({ health }: { readonly health: CaptureHealth }) {
  return (
    <section class="panel" aria-labelledby="health">
      <header>
        <h2 id="health">Capture</h2>
        <span class="soft">daemon up {since(health.daemonSince, new Date())}</span>
      </header>
      <ul class="checks">
        {checksOf(health).map(({ state, text, hint, href }) => (
          <li key={text} class={state}>
            <Icon name={state} />
            <div>
              {href === undefined ? text : <a href={to.view(href)}>{text}</a>}
              {hint && <p class="soft small">{hint}</p>}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function checksOf(health: CaptureHealth): readonly Check[] {
  const last = Object.values(health.lastHook).toSorted().at(-1);
  const [aside] = health.setAside;
  const paused = health.paused.filter(({ scope }) => scope !== 'everywhere').length;
  return [
    STATES[health.state],
    last === undefined
      ? {
          state: 'warn',
          text: 'No session has reported yet',
          hint: 'tidemark install, then start Claude Code',
        }
      : { state: 'ok', text: `Last heard of a session ${since(last, new Date())} ago` },
    health.spoolBacklog === 0
      ? { state: 'ok', text: 'Everything taken in is digested' }
      : { state: 'ok', text: `${counted(health.spoolBacklog, 'event')} being digested` },
    ...(paused > 0
      ? [
          {
            state: 'warn',
            text: `Looking away in ${counted(paused, 'project or session', 'projects or sessions')}`,
          } as const,
        ]
      : []),
    ...(aside
      ? [
          {
            state: 'bad',
            text: `${counted(health.setAside.length, 'event')} could not be digested`,
            hint: `${aside.reason} (${dateAndTime(aside.at)}). More: tidemark doctor`,
          } as const,
        ]
      : []),
    ...health.configProblems.map(({ where, key, reason, hint }) => ({
      state: 'warn' as const,
      text: `${key ?? where}: ${reason}`,
      hint,
      href: '/settings',
    })),
    ...(health.inReview > 0
      ? [
          {
            state: 'warn',
            text: `${counted(health.inReview, 'memory waits', 'memories wait')} for a yes`,
            href: '/review',
          } as const,
        ]
      : []),
  ];
}

const STATES: Readonly<Record<CaptureHealth['state'], Check>> = {
  capturing: { state: 'ok', text: 'Remembering what happens' },
  paused: { state: 'warn', text: 'Looking away everywhere', hint: 'To go on: tidemark resume' },
  off: {
    state: 'bad',
    text: 'Capture is switched off',
    hint: 'The setting capture.enabled',
    href: '/settings',
  },
};
