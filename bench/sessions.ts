/** The labelled sessions as transcripts, for tests outside this folder. */
export type { LabelledSession } from './labelled-sessions.ts';
export { isTurn, sessionId, writeTranscripts } from './_session-transcripts.ts';
