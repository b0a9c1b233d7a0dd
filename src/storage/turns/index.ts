export { type TrimmedTurns, type TurnLocation, TurnStore } from './turn-store.ts';
