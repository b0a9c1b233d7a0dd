export { answer, type ErrorAnswer, type ErrorShape } from './answer.ts';
export { bodyOf, checked, jsonOf, paramsOf, queryOf } from './input.ts';
