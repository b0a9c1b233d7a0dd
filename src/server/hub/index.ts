export { newLink } from './visits.ts';
export { teamHub } from './mount.ts';
