export { Limiter, type Rate } from './limiter.ts';
export { requireOwner, requireScope, scopesOfRole } from './permission.ts';
