export { CLIENT_TIMEOUT_S } from './budget.ts';
export { MESSAGES, type MessageCode } from './messages.ts';
