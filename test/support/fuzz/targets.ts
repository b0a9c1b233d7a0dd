/** Every fuzz target, in the order of the report. */
import type { Target } from './engine.ts';
import { evermemRequests, hubRequests, pulledPage, serverRequests } from './http.ts';
import { hookBody, hookInput, spoolLine } from './intake.ts';
import { journalMemory, journalMerge, journalText, journalVerbs } from './journal.ts';
import { notes } from './model.ts';
import { redactor, redactorDeep, redactorPlanted, shownText } from './privacy.ts';
import { importedNotes, peers, transcript } from './readers.ts';
import { ledgerLine, question, settings, turnFile } from './stores.ts';

export const TARGETS: readonly Target[] = [
  hookInput,
  hookBody,
  spoolLine,
  transcript,
  redactor,
  redactorPlanted,
  redactorDeep,
  shownText,
  journalText,
  journalMemory,
  journalVerbs,
  journalMerge,
  notes,
  ledgerLine,
  turnFile,
  settings,
  question,
  importedNotes,
  peers,
  hubRequests,
  serverRequests,
  pulledPage,
  evermemRequests,
];
