/** Cost of language models, compared with the daily ceilings. */
import type { Spending } from '../../src/http/index.ts';
import { to } from '../route.ts';
import { shortDay } from '../time.ts';
import { counted, dollars, percent } from '../words.ts';

/** Share of the ceiling from which the bar warns. */
const HIGH = 0.8;
const DAYS_SHOWN = 5;

export function SpendingPanel({ spending }: { readonly spending: Spending }) {
  const { today, month, total, ceilings, days, consent, refused } = spending;
  const tokens = today.inputTokens + today.outputTokens;
  return (
    <section class="panel" aria-labelledby="spent">
      <header>
        <h2 id="spent">Cost of language models</h2>
        <span class="soft">{consent ? 'with your consent' : 'none is used now'}</span>
      </header>
      {refused && (
        <p role="status">
          No model is used: {refused.evidence}. <code>{refused.next}</code>
        </p>
      )}
      {total.requests === 0 && !consent ? (
        <p class="soft small">
          Nothing: your memories are written on this machine.{' '}
          <a href={to.view('/settings')}>Use a language model</a>
        </p>
      ) : (
        <div class="spending">
          <p>
            <span class="big">{dollars(today.usd)}</span>{' '}
            <span class="soft">
              today · {dollars(month.usd)} this month · {dollars(total.usd)} in total (days and months in UTC)
            </span>
          </p>
          <Against
            name="Money today"
            value={today.usd}
            ceiling={ceilings.dailyUsd}
            text={`${dollars(today.usd)} of ${dollars(ceilings.dailyUsd)}`}
          />
          <Against
            name="Tokens today"
            value={tokens}
            ceiling={ceilings.dailyTokens}
            text={`${tokens.toLocaleString('en')} of ${ceilings.dailyTokens.toLocaleString('en')}`}
          />
          {days.length > 0 && (
            <table class="figures">
              <caption>The last {counted(Math.min(days.length, DAYS_SHOWN), 'day')} with costs</caption>
              <tbody>
                {days.slice(0, DAYS_SHOWN).map((day) => (
                  <tr key={day.date}>
                    <th scope="row">{shortDay(day.date)}</th>
                    <td class="n">{dollars(day.usd)}</td>
                    <td class="n soft">{counted(day.inputTokens + day.outputTokens, 'token')}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </div>
      )}
    </section>
  );
}

function Against(props: {
  readonly name: string;
  readonly value: number;
  readonly ceiling: number;
  readonly text: string;
}) {
  const { name, value, ceiling, text } = props;
  const share = ceiling > 0 ? Math.min(1, value / ceiling) : 1;
  return (
    <div>
      <p class="spending-line">
        <span>{name}</span>
        <span class="soft number">{text}</span>
      </p>
      <div
        class={share >= HIGH ? 'bar high' : 'bar'}
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={`${text}, ${percent(share)}`}
      >
        <span style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
