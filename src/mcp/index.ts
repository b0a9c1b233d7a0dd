export { afterRead } from './after-read.ts';
export { beforeCommand } from './before-command.ts';
export { beforeEdit } from './before-edit.ts';
