/** Whether capture works, and what to do where it does not. */
import type { CaptureHealth } from '../../src/http/index.ts';
import { to } from '../route.ts';
import { dateAndTime, since } from '../time.ts';
import { counted } from '../words.ts';
import { Icon } from './icon.tsx';
import { withCode } from './notice.tsx';

interface Check {
  readonly state: 'ok' | 'warn' | 'bad';
  readonly text: string;
  readonly hint?: string;
  readonly href?: string;
}

/** The problems alone, for the top of the first screen; nothing while capture works. */
export function HealthAlert({ health }: { readonly health: CaptureHealth }) {
  const bad = checksOf(health).filter(({ state }) => state === 'bad');
  if (bad.length === 0 && health.state === 'capturing') return null;
  const shown = bad.length > 0 ? bad : [STATES[health.state]];
  return (
    <div class="alert" role="alert">
      {shown.map(({ text, hint }) => (
        <p key={text}>
          <b>{withCode(text)}.</b> {hint && withCode(hint)}
        </p>
      ))}
    </div>
  );
}

export function Health({ health }: { readonly health: CaptureHealth }) {
  return (
    <section class="panel" aria-labelledby="health">
      <header>
        <h2 id="health">Capture</h2>
        <span class="soft">running for {since(health.daemonSince, new Date())}</span>
      </header>
      <ul class="checks">
        {checksOf(health).map(({ state, text, hint, href }) => (
          <li key={text} class={state}>
            <Icon name={state} />
            <div>
              {href === undefined ? withCode(text) : <a href={to.view(href)}>{withCode(text)}</a>}
              {hint && <p class="soft small">{withCode(hint)}</p>}
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
          text: 'No events from a session yet',
          hint: 'Run `tidemark install`, then start a session with your agent.',
        }
      : { state: 'ok', text: `Last event ${since(last, new Date())} ago` },
    health.spoolBacklog === 0
      ? { state: 'ok', text: 'All events processed' }
      : { state: 'ok', text: `${counted(health.spoolBacklog, 'event')} being processed` },
    smallModel(health.small),
    ...(paused > 0
      ? [
          {
            state: 'warn',
            text: `Paused in ${counted(paused, 'project or session', 'projects or sessions')}`,
          } as const,
        ]
      : []),
    ...(aside
      ? [
          {
            state: 'bad',
            text: `${counted(health.setAside.length, 'event')} could not be processed`,
            hint: `${aside.reason} (${dateAndTime(aside.at)}). See: \`tidemark doctor\``,
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
            text: `${counted(health.inReview, 'memory', 'memories')} to review`,
            href: '/review',
          } as const,
        ]
      : []),
  ];
}

function smallModel({ model, why, waiting, passed, trouble, next }: CaptureHealth['small']): Check {
  if (model === null)
    return { state: 'warn', text: 'Rules write your memories', hint: reasonAndNext(why, next) };
  if (trouble !== undefined)
    return { state: 'bad', text: 'Rules write your memories, because the small model fails', hint: trouble };
  const failed = Object.values(passed).reduce((sum, turns) => sum + turns, 0);
  const queue = waiting > 0 ? `, ${counted(waiting, 'turn')} to read` : '';
  const text = `The small model on this machine writes your memories${queue}`;
  if (failed === 0) return { state: 'ok', text };
  return {
    state: 'warn',
    text,
    hint: `${counted(failed, 'turn')} could not be read; rules wrote their memories`,
  };
}

function reasonAndNext(why: string | undefined, next: string | undefined): string {
  const reason = why ? `The small model is not used: ${why}.` : '';
  if (!next) return reason;
  return `${reason} ${next.startsWith('tidemark ') ? `Run: \`${next}\`` : next}`;
}

const STATES: Readonly<Record<CaptureHealth['state'], Check>> = {
  capturing: { state: 'ok', text: 'Capture is on' },
  paused: { state: 'warn', text: 'Paused everywhere', hint: 'To continue: `tidemark resume`' },
  off: {
    state: 'bad',
    text: 'Capture is off',
    hint: 'Switch it on in the settings.',
    href: '/settings',
  },
};
