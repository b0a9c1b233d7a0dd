export { beforeEdit } from './before-edit.ts';
