export { isHeldOut, type Label, type Wanted, type WrittenTurn } from './label.ts';
export { realLabels } from './real.ts';
export { writtenHard } from './written-hard.ts';
export { writtenTalk } from './written-talk.ts';
export { writtenWork } from './written-work.ts';
