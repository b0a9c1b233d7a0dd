export { addressOf, checkEncryption } from './address.ts';
export { serverApp, type Mount } from './app.ts';
export { callerOf, holderOf, readBody, type ServerEnv } from './body.ts';
export { failureOf, TooMany } from './errors.ts';
export type { Guard } from './guard.ts';
export { errorFacts, jsonLog, type Log } from './log.ts';
export { openApi } from './openapi.ts';
export { route, type Route } from './route.ts';
export { serve, type Serving } from './serve.ts';
