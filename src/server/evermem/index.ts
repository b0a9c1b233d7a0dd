export { everMem } from './mount.ts';
