export { exchangesOf } from './exchanges.ts';
export { entriesOf } from './told.ts';
