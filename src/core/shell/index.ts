export { pipelinesOf, type Pipeline, type SimpleCommand } from './pipelines.ts';
export { pathIn, printedFiles } from './printed-files.ts';
