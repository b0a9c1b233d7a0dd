/** The verbs, in the order the help lists them. */
import { suggest } from '../../config/index.ts';
import type { Verb } from '../verb.ts';
import { addDecision, addIssue, addPattern } from './add-facts.ts';
import { archive } from './archive.ts';
import { backup, backupList, backupVerify, restore } from './backup.ts';
import { brief } from './brief.ts';
import { clearFacts } from './clear-facts.ts';
import { completionOf } from './completion.ts';
import { config } from './config.ts';
import { cost } from './cost.ts';
import { distill } from './distill.ts';
import { doctor } from './doctor.ts';
import { edit } from './edit.ts';
import { exportMemories } from './export.ts';
import { extractFacts } from './extract-facts.ts';
import { forget } from './forget.ts';
import { hub } from './hub.ts';
import { importFile } from './import-file.ts';
import { importHistory } from './import-history.ts';
import { importList, importPeers } from './import-peers.ts';
import { install } from './install.ts';
import { journal, journalBack, journalInRepository, journalMerging, journalMove } from './journal.ts';
import { login, logout } from './login.ts';
import { logs } from './logs.ts';
import { mcp } from './mcp.ts';
import { merge } from './merge.ts';
import { mergeDriver } from './merge-driver.ts';
import { model } from './model.ts';
import { pause, resume } from './pause.ts';
import { poison } from './poison.ts';
import { projects } from './projects.ts';
import { reindex } from './reindex.ts';
import { remember } from './remember.ts';
import { reopen, resolve } from './resolve.ts';
import { repair } from './repair.ts';
import { review } from './review.ts';
import { search } from './search.ts';
import { serverKey, serverMember } from './server-people.ts';
import { serverBackup, serverDoctor, serverInit, serverTeam } from './server-setup.ts';
import { server } from './server.ts';
import { sessions } from './sessions.ts';
import { share, unshare } from './share.ts';
import { show } from './show.ts';
import { start } from './start.ts';
import { stats } from './stats.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';
import { supersede } from './supersede.ts';
import { team } from './team.ts';
import { timeline } from './timeline.ts';
import { transcript } from './transcript.ts';
import { uninstall } from './uninstall.ts';
import { watch } from './watch.ts';
import { why } from './why.ts';

export interface VerbGroup {
  readonly title: string;
  readonly verbs: readonly Verb[];
}

/** As the help shows them, what a newcomer needs first. */
export const VERB_GROUPS: readonly VerbGroup[] = [
  {
    title: 'Set up',
    verbs: [install, repair, uninstall, config, model],
  },
  {
    title: 'Find',
    verbs: [search, show, transcript, timeline, brief, why, watch, sessions, projects, stats, hub],
  },
  {
    title: 'Write down and correct',
    verbs: [
      remember,
      edit,
      resolve,
      reopen,
      supersede,
      merge,
      forget,
      review,
      addDecision,
      addPattern,
      addIssue,
      extractFacts,
      clearFacts,
    ],
  },
  {
    title: 'Capture and distil',
    verbs: [pause, resume, distill, cost],
  },
  {
    title: 'Bring in and take along',
    verbs: [importList, importHistory, ...importPeers, importFile, exportMemories],
  },
  {
    title: 'Journal and backups',
    verbs: [
      journal,
      journalMove,
      journalInRepository,
      journalBack,
      journalMerging,
      archive,
      backup,
      backupList,
      backupVerify,
      restore,
      reindex,
    ],
  },
  {
    title: 'Health',
    verbs: [status, doctor, logs, poison, start, stop],
  },
  {
    title: 'Team',
    verbs: [
      login,
      logout,
      share,
      unshare,
      team,
      server,
      serverInit,
      serverDoctor,
      serverTeam,
      serverMember,
      serverKey,
      serverBackup,
    ],
  },
  {
    title: 'For other programs',
    verbs: [mcp, mergeDriver, completionOf(() => VERBS)],
  },
];

export const VERBS: readonly Verb[] = VERB_GROUPS.flatMap(({ verbs }) => verbs);

/** The verb that begins an argument list, the longest name first, and what follows it. */
export function findVerb(
  argv: readonly string[],
): { readonly verb: Verb; readonly rest: readonly string[] } | undefined {
  for (const length of [2, 1]) {
    const name = argv.slice(0, length).join(' ');
    const verb = VERBS.find((candidate) => candidate.name === name);
    if (verb) return { verb, rest: argv.slice(length) };
  }
  return undefined;
}

/** The verb somebody probably meant. */
export function closestVerb(word: string): string | undefined {
  return suggest(
    word,
    VERBS.map((verb) => verb.name),
  );
}
