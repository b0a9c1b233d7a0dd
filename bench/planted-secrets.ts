/** Planted secrets for tests: the texts, the run through a real daemon, and the rates. `bench/secrets.ts` is the command. */
export { plantLive } from './_secrets-live.ts';
export { planted, type Planted } from './_secrets-plant.ts';
export { ratesOf, type Rate } from './_secrets-score.ts';
