export { widthOf } from './text-width.ts';
