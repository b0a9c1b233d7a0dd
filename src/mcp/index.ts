export { afterRead } from './after-read.ts';
export { beforeEdit } from './before-edit.ts';
