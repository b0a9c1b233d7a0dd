/** The verbs, in the order the help lists them. */
import type { Verb } from '../verb.ts';
import { backup, backupList, backupVerify, restore } from './data/backup.ts';
import { exportMemories } from './data/export.ts';
import { importFile } from './data/import-file.ts';
import { importHistory } from './data/import-history.ts';
import { importMarkdown } from './data/import-markdown.ts';
import { importList, importPeers } from './data/import-peers.ts';
import {
  archive,
  journal,
  journalBack,
  journalInRepository,
  journalMerging,
  journalMove,
} from './data/journal.ts';
import { mergeDriver } from './data/merge-driver.ts';
import { edit } from './memory/edit.ts';
import { addDecision, addIssue, addPattern, clearFacts, extractFacts } from './memory/facts.ts';
import { forget, merge, reopen, resolve, supersede, undo } from './memory/lifecycle.ts';
import { projects } from './memory/projects.ts';
import { remember } from './memory/remember.ts';
import { review } from './memory/review.ts';
import { demo } from './process/demo.ts';
import { failed } from './process/failed.ts';
import { hub } from './process/hub.ts';
import { ignore } from './process/ignore.ts';
import { logs } from './process/logs.ts';
import { pause, resume } from './process/pause.ts';
import { reindex } from './process/reindex.ts';
import { start, stop } from './process/start.ts';
import { status } from './process/status.ts';
import { blame } from './recall/blame.ts';
import { brief } from './recall/brief.ts';
import { search } from './recall/search.ts';
import { sessions } from './recall/sessions.ts';
import { show } from './recall/show.ts';
import { stats } from './recall/stats.ts';
import { timeline } from './recall/timeline.ts';
import { transcript } from './recall/transcript.ts';
import { watch } from './recall/watch.ts';
import { why } from './recall/why.ts';
import { completionOf } from './setup/completion.ts';
import { config } from './setup/config.ts';
import { doctor } from './setup/doctor.ts';
import { install } from './setup/install.ts';
import { mcp } from './setup/mcp.ts';
import { repair } from './setup/repair.ts';
import { uninstall } from './setup/uninstall.ts';
import { login, logout } from './team/login.ts';
import { serverKey, serverMember } from './team/server-people.ts';
import { serverBackup, serverDoctor, serverInit, serverTeam } from './team/server-setup.ts';
import { serverSettings, serverStatus } from './team/server-status.ts';
import { server, serverStart } from './team/server.ts';
import { share, unshare } from './team/share.ts';
import { team } from './team/team.ts';

interface Group {
  readonly title: string;
  readonly verbs: readonly Verb[];
}

/** The ten verbs of `tidemark --help`. */
export const FIRST_GROUPS: readonly Group[] = [
  { title: 'Set up', verbs: [install, doctor, pause, uninstall] },
  { title: 'Find', verbs: [search, show, hub] },
  { title: 'Add and correct', verbs: [remember, edit, forget] },
];

/** All verbs, as `tidemark --help --all` lists them: what a new user needs comes first. */
export const VERB_GROUPS: readonly Group[] = [
  {
    title: 'Set up',
    verbs: [demo, install, repair, uninstall, config],
  },
  {
    title: 'Find',
    verbs: [search, show, transcript, timeline, blame, brief, why, watch, sessions, projects, stats, hub],
  },
  {
    title: 'Add and correct',
    verbs: [
      remember,
      edit,
      resolve,
      reopen,
      supersede,
      merge,
      forget,
      undo,
      review,
      addDecision,
      addPattern,
      addIssue,
      extractFacts,
      clearFacts,
    ],
  },
  {
    title: 'Capture',
    verbs: [pause, resume, ignore],
  },
  {
    title: 'Import and export',
    verbs: [importList, importHistory, ...importPeers, importMarkdown, importFile, exportMemories],
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
    verbs: [status, doctor, logs, failed, start, stop],
  },
  {
    title: 'Team',
    verbs: [
      login,
      logout,
      share,
      unshare,
      team,
      serverStart,
      server,
      serverInit,
      serverStatus,
      serverDoctor,
      serverTeam,
      serverMember,
      serverKey,
      serverSettings,
      serverBackup,
    ],
  },
  {
    title: 'For other programs',
    verbs: [mcp, mergeDriver, completionOf(() => VERBS)],
  },
];

export const VERBS: readonly Verb[] = VERB_GROUPS.flatMap(({ verbs }) => verbs);

/** Other names that work too and are not listed. */
const OTHER_NAMES: Readonly<Record<string, string>> = { exclude: 'ignore', poison: 'failed' };

/** Finds the verb at the start of an argument list, longest name first, and the arguments after it. */
export function findVerb(
  argv: readonly string[],
): { readonly verb: Verb; readonly rest: readonly string[] } | undefined {
  for (const length of [2, 1]) {
    const typed = argv.slice(0, length).join(' ');
    const name = Object.hasOwn(OTHER_NAMES, typed) ? OTHER_NAMES[typed] : typed;
    const verb = VERBS.find((candidate) => candidate.name === name);
    if (verb) return { verb, rest: argv.slice(length) };
  }
  return undefined;
}
