export { contradicts } from './contradiction.ts';
export { areRelated, fold, type Folded, type Source } from './fold.ts';
export { resolves } from './resolution.ts';
export { isSame, isSameOfTurn } from './same.ts';
export { statementOf, textHash, type Statement } from './statement.ts';
