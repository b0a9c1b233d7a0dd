export { factsIn, type FactsFound } from './markdown-facts.ts';
export { describeTranscript, listTranscripts, type FoundTranscript } from './history.ts';
