export { teamHub } from './mount.ts';
export { newLink } from './visits.ts';
