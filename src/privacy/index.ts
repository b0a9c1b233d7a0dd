export { FENCE_LABEL, fence, neutral, plainLine, plainText } from './fence.ts';
export { redactDeep } from './redact-deep.ts';
export { redactTurn } from './redact-turn.ts';
export { redact, type Redacted } from './redact.ts';
export { readSpooledEvent, toSpooledEvent, type Envelope, type EventParse } from './spooled-event.ts';
