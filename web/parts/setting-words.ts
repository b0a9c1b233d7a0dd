/** The settings in words: a title, one sentence, and the choices. The type requires an entry for every setting. */
import type { SettingRow } from '../../src/http/index.ts';

export type SettingKey = SettingRow['key'];

interface SettingWords {
  readonly title: string;
  readonly about: string;
  /** Choices by their value. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Follows a number. */
  readonly unit?: string;
}

interface Area {
  readonly id: string;
  readonly title: string;
  readonly keys: readonly SettingKey[];
}

/** The order of the page. A setting that is missing here is shown at the end. */
export const AREAS: readonly Area[] = [
  {
    id: 'remembered',
    title: 'What is remembered',
    keys: ['capture.enabled', 'capture.ignore', 'notes.review', 'capture.agentNotes', 'capture.showSaved'],
  },
  {
    id: 'given',
    title: 'What your agent gets',
    keys: ['recall.enabled', 'recall.briefTokens', 'recall.promptLimit', 'recall.stopOnce', 'recall.verbose'],
  },
  { id: 'meaning', title: 'Search by meaning', keys: ['embed.driver', 'embed.model', 'embed.url'] },
  {
    id: 'storage',
    title: 'Files and backups',
    keys: ['turns.maxMb', 'backup.days', 'backup.folder', 'journal.archiveDays', 'journal.machine'],
  },
  { id: 'team', title: 'Team', keys: ['share.delayMinutes'] },
  {
    id: 'program',
    title: 'Program',
    keys: ['updates.check', 'hub.port', 'daemon.idleMinutes', 'log.level'],
  },
];

export const SETTING_WORDS: Readonly<Record<SettingKey, SettingWords>> = {
  'capture.enabled': {
    title: 'Remember sessions',
    about: 'Reads what happens in the sessions of your agents and stores what is worth knowing later.',
  },
  'capture.ignore': {
    title: 'Folders to leave alone',
    about: 'Nothing is captured in these folders. Paths or patterns; `~` is your home.',
  },
  'capture.showSaved': {
    title: 'Tell me what was remembered',
    about: 'Shows a line with the title in the session after a memory was stored.',
  },
  'capture.agentNotes': {
    title: 'Notes of the agent',
    about: 'How your agent writes down what matters while it works.',
    choices: {
      answer: 'At the end of its answer',
      tool: 'With a tool call',
      off: 'No notes',
    },
  },
  'recall.enabled': {
    title: 'Inject memories',
    about:
      'Gives your agent memories at the start of a session, with prompts, and when it reads or edits a file.',
  },
  'recall.briefTokens': {
    title: 'Length of the brief',
    about: 'The most that is injected at the start of a session. 1,000 tokens are about 750 words.',
    unit: 'tokens',
  },
  'recall.verbose': {
    title: 'Show every lookup',
    about: 'Shows with each prompt what was looked up, even if nothing was found.',
  },
  'recall.promptLimit': {
    title: 'Memories per prompt',
    about: 'The most memories that are injected with one prompt. 0 injects none.',
    unit: 'memories',
  },
  'recall.stopOnce': {
    title: 'Stop known mistakes',
    about:
      'Stops a command or an edit once, with the reason, if a rule or a dead end literally forbids it. You decide whether it runs.',
  },
  'notes.review': {
    title: 'Review new memories',
    about: 'New memories wait on the Review page until you keep them.',
  },
  'embed.driver': {
    title: 'Model for search by meaning',
    about:
      'Finds memories that say the same in other words. A server gets your memories and prompts, with secrets removed.',
    choices: {
      local: 'The small model of Tidemark',
      openai: "A server with OpenAI's API",
      none: 'None: search by words only',
    },
  },
  'embed.model': {
    title: 'Name of the search model',
    about: 'For a server only.',
  },
  'embed.url': {
    title: 'Address of the search model',
    about: 'Empty: OpenAI. A key is read from `TIDEMARK_EMBED_KEY` or `~/.tidemark/embed-key`.',
  },
  'journal.archiveDays': {
    title: 'Combine old days',
    about: 'Days older than this become one file per month. 0: never.',
    unit: 'days',
  },
  'journal.machine': {
    title: 'Name of this machine',
    about:
      'Needed only if several machines share the memory files: each then writes its own files. Empty: not shared.',
  },
  'share.delayMinutes': {
    title: 'Wait before sharing',
    about: 'New memories of a shared project wait this long, so that you can hold one back. 0: no wait.',
    unit: 'minutes',
  },
  'backup.days': {
    title: 'Days between backups',
    about: 'How often all memories and conversations are copied. 0: only when you run `tidemark backup`.',
    unit: 'days',
  },
  'backup.folder': {
    title: 'Folder for backups',
    about: 'For example on another disk. Empty: `~/.tidemark/backups`.',
  },
  'turns.maxMb': {
    title: 'Space for conversations',
    about: 'The oldest conversations are deleted when they need more. Memories stay.',
    unit: 'megabytes',
  },
  'daemon.idleMinutes': {
    title: 'Stop when idle',
    about: 'The background program stops after this time without a session, and starts again by itself.',
    unit: 'minutes',
  },
  'updates.check': {
    title: 'Look for updates',
    about: 'Asks npm once a day for the newest version number. Nothing else is sent.',
  },
  'log.level': {
    title: 'Detail of the log',
    about: 'How much `tidemark logs` can show.',
    choices: { error: 'Errors', warn: 'Errors and warnings', info: 'Normal', debug: 'Everything' },
  },
  'hub.port': {
    title: 'Port of this page',
    about: '0 chooses one for you. If a port is taken, the next free one is used.',
  },
};
