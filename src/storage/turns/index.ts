export { type TrimmedTurns, TurnStore } from './turn-store.ts';
