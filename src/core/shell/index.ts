export { pipelinesOf, type Pipeline, type SimpleCommand } from './pipelines.ts';
export { printedFiles } from './printed-files.ts';
