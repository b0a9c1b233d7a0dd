export { type Merging, setUpMerging } from './merging.ts';
