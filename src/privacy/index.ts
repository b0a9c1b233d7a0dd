export { fence, neutral, withoutFenced } from './fence.ts';
export { maskPath } from './mask-path.ts';
export { redactDeep } from './redact-deep.ts';
export { redactTurn } from './redact-turn.ts';
export { redact } from './redact.ts';
export { readSpooledEvent, toSpooledEvent, type EventParse, type Translate } from './spooled-event.ts';
