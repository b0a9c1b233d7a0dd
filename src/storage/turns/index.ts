export { type TrimmedTurns, type TurnLocation, TurnStore, type VerifiedTurns } from './turn-store.ts';
