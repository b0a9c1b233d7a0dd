/**
 * The question whether a language model may distill, in the words that install, doctor and hub share: what changes without
 * a model, what is sent where, and what it costs at the user's pace. Pure.
 */
import { given } from '../core/index.ts';
import { clientTitle, type Billing } from './drivers/billing.ts';
import { isAgentDriver } from './drivers/driver.ts';
import type { Pace } from './pace.ts';

export interface ConsentFacts {
  /** Undefined: no driver works on this machine. */
  readonly driver?: { readonly name: string; readonly model: string };
  /** One reason per driver that does not work. */
  readonly missing?: readonly string[];
  /** Host of the driver `api`. */
  readonly host?: string;
  readonly billing: Billing;
  /** Undefined: there is no history yet. */
  readonly pace?: Pace;
  readonly dailyUsd: number;
  readonly dailyTokens: number;
}

export interface ConsentOffer {
  readonly question: string;
  /** The difference without a language model. */
  readonly without: string;
  /** The data that is sent, and the receiver. */
  readonly sent: string;
  /** The cost at the user's pace, or that it counts against a plan, or that there is no history yet. */
  readonly cost: string;
  /** `without` and `sent` in one line, for the terminal. */
  readonly short: string;
  /** Why no language model can be used now; left out if one can. */
  readonly notReady?: string;
  /** `without` and `cost` in one line, for a report. */
  readonly summary: string;
  readonly yes: string;
  readonly no: string;
  /** The command for a later answer. */
  readonly how: string;
}

const WITHOUT =
  'Without one, the small model on this machine keeps the sentences that it finds worth remembering. It misses more decisions, causes and open issues, and more often does not notice that something is done or was replaced.';
const DAYS_PER_MONTH = 30;
const AND = new Intl.ListFormat('en', { type: 'conjunction' });

export function consentOffer(facts: ConsentFacts): ConsentOffer {
  const cost = costLine(facts);
  return {
    question: 'May a language model write your memories?',
    without: WITHOUT,
    sent: sentLine(facts),
    cost,
    short: `It finds more than the small model on this machine. ${sentLine(facts)}`,
    ...given({ notReady: notReady(facts) }),
    summary: `no language model is used. ${WITHOUT} ${cost}`,
    yes: 'Yes, use a language model',
    no: 'No, without a language model',
    how: 'tidemark config set distill.consent true',
  };
}

function notReady({ driver, billing }: ConsentFacts): string | undefined {
  if (!driver) return 'none is set up on this machine';
  return billing.kind === 'logged-out' ? `${clientTitle(driver.name)} is not logged in` : undefined;
}

function sentLine({ driver, host, missing = [] }: ConsentFacts): string {
  const each = 'With a language model, each turn is redacted and sent once, in the background, to';
  if (!driver)
    return `${each} a model of your choice. None is set up on this machine yet${missing.length > 0 ? `: ${AND.format(missing)}` : ''}. Install Claude Code, or set the address of an API: tidemark config set distill.apiUrl <address>`;
  if (driver.name === 'api') return `${each} ${driver.model}${host ? ` at ${host}` : ''}.`;
  if (driver.name === 'queue') return `${each} the program that answers the files of distill.driver queue.`;
  const client = clientTitle(driver.name);
  if (isAgentDriver(driver.name)) {
    const model = driver.model === driver.name ? `the model of ${client}` : driver.model;
    return `${each} ${model} through your own ${client}.`;
  }
  return `${each} Claude (${driver.model}) through your own ${client}.`;
}

function costLine(facts: ConsentFacts): string {
  const { billing, pace } = facts;
  const client = clientTitle(facts.driver?.name ?? '');
  const most = `never more than ${dollars(facts.dailyUsd)} a day`;
  const noHistory = 'There is no history yet to compute your cost from';
  const tokens = pace && `${paceWords(pace)}: about ${rounded(pace.tokensPerDay)} tokens a day`;
  const price =
    pace && `${dollars(pace.usdPerDay)} a day, ${dollars(pace.usdPerDay * DAYS_PER_MONTH)} a month`;
  switch (billing.kind) {
    case 'plan': {
      const plan = `You pay for ${client} with ${billing.plan ? `the ${billing.plan} plan` : 'a plan'}: this costs no extra money, but it counts against the limits of the plan.`;
      return `${plan} ${tokens ?? 'There is no history yet to compute how much'}; never more than ${rounded(facts.dailyTokens)} tokens a day.`;
    }
    case 'free':
      return `The model runs on this machine and costs nothing.${tokens ? ` ${tokens}.` : ''}`;
    case 'unpriced':
      return `It may cost money, and its price is not known, so only tokens are limited. ${tokens ?? noHistory}; never more than ${rounded(facts.dailyTokens)} tokens a day.`;
    case 'money':
      return `It costs money. ${tokens ? `${tokens}, ${price}` : noHistory}; ${most}.`;
    case 'logged-out':
      return `${client} is not logged in; log in first. With an API key it costs money, with a plan it counts against the limits of the plan. ${tokens ? `${tokens}, with an API key ${price}` : noHistory}; ${most}.`;
    case 'unknown':
      return `With an API key it costs money, with a plan it counts against the limits of the plan. ${tokens ? `${tokens}, with an API key ${price}` : noHistory}; ${most}.`;
  }
}

function paceWords({ turnsPerDay, days }: Pace): string {
  const turns =
    turnsPerDay < 1
      ? 'less than 1 turn'
      : `${Math.round(turnsPerDay)} ${Math.round(turnsPerDay) === 1 ? 'turn' : 'turns'}`;
  const span = days === 1 ? 'the last day' : days >= 28 ? 'the last 4 weeks' : `the last ${days} days`;
  return `At your pace (${turns} a day over ${span})`;
}

/** Two significant digits: an estimate is not exact. */
function rounded(n: number): string {
  if (n <= 0) return '0';
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(n)) - 1);
  return (Math.round(n / unit) * unit).toLocaleString('en-US');
}

function dollars(usd: number): string {
  if (usd > 0 && usd < 0.01) return 'less than $0.01';
  return `$${usd.toFixed(2)}`;
}
