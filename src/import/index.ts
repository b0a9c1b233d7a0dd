export { describeTranscript, listTranscripts, type FoundTranscript } from './history.ts';
