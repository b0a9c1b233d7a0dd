export { admit, type Admission } from './admission.ts';
export type { DistillInput, Distilled, Distiller } from './distiller.ts';
export { localDistiller } from './local.ts';
export { sessionTitle, summarizeTurns } from './summary.ts';
