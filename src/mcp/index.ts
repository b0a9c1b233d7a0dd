export { beforeEdit } from './before-edit.ts';
export { serveMcp } from './serve.ts';
