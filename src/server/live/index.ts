export { hearChanges } from './hear.ts';
export { Waiting, type WaitingOptions } from './waiting.ts';
