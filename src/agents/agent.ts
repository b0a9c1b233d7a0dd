/** The port of coding agents: the moments that a client has, and the parts that speak to it. This module only declares types. */
import type { Agent, Places } from '../core/index.ts';
import type { TranscriptReader } from './transcript.ts';

/**
 * A moment of a session. `start`: it begins or continues. `read`: a file was read. `edit`: a file is about to be changed.
 * `tool`: another tool call ended. `stop`: the agent has answered. `compact`: the conversation is summarised.
 */
export const MOMENTS = ['start', 'prompt', 'read', 'edit', 'tool', 'stop', 'compact', 'end'] as const;

export type Moment = (typeof MOMENTS)[number];

export interface MomentSupport {
  /** How the client reports it: a command, a call of our MCP server, or our own code inside the client. */
  readonly by: 'command' | 'mcp' | 'plugin';
  /** The client's name of the event. */
  readonly event: string;
  /** The client's tools that it is limited to, in the client's syntax. */
  readonly matcher?: string;
  /** Whether our answer reaches the model. */
  readonly answers: boolean;
}

/** A moment that is missing does not exist in the client, or is of no use there. */
export type Capabilities = Readonly<Partial<Record<Moment, MomentSupport>>>;

/** A coding agent. One without an installer is only read: its past sessions can be imported. */
export interface CodingAgent {
  readonly id: Agent;
  /** Its name for users: "Claude Code". */
  readonly title: string;
  readonly capabilities: Capabilities;
  /** Slash commands that the client answers itself: they are not content. */
  readonly commands?: readonly string[];
  /** Our slash command in the client that undoes the last turn, if there is one. */
  readonly undo?: string;
  readonly reader: TranscriptReader;
  readonly installer?: Installer;
  readonly oneShot?: OneShot;
  readonly ownFiles?: OwnFiles;
}

/** Files with rules and notes that the client loads itself. Tidemark searches them, never changes and never injects them. */
export interface OwnFiles {
  /** Paths of the user's rules for every project. */
  ofUser(env: NodeJS.ProcessEnv): readonly string[];
  /** Rules in the root of a project, relative to it. They come with the clone. */
  readonly ofProject: readonly string[];
  /** Paths of the client's own notes about the project in this folder. */
  notes?(env: NodeJS.ProcessEnv, root: string): readonly string[];
  /** The first lines of a note that the client loads at the start of a session; 0 if it loads none. */
  loadedLines?(env: NodeJS.ProcessEnv, root: string, note: string): number;
}

/** One isolated request to the client's model, which leaves no session: no hooks, tools, servers or transcript. */
export interface OneShot {
  /** The program, if it is on this machine. */
  find(env: NodeJS.ProcessEnv): string | undefined;
  /** The arguments for a request whose text comes on stdin. */
  args(request: OneShotRequest): readonly string[];
  /** Changes to the user's own variables; undefined removes one. */
  variables?(request: OneShotRequest): Readonly<Record<string, string | undefined>>;
  read(stdout: string): OneShotResult;
}

export interface OneShotRequest {
  /** Empty: the client's own choice. */
  readonly model: string;
  readonly system: string;
  /** A file with the system prompt. */
  readonly instructions: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface OneShotResult {
  /** Missing if the request failed. */
  readonly text?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The client's own message about a failure. */
  readonly error?: string;
}

export interface InstallWorld {
  readonly env: NodeJS.ProcessEnv;
  readonly places: Places;
  /**
   * The folder of our plugin that is used from now on: `hooks`, `dist`, `skills`, `commands`. Before the first install of
   * a package it does not exist yet: `plan` and `status` must not depend on its files.
   */
  readonly plugin: string;
  /** A project's folder: its settings of the client count too. */
  readonly cwd?: string;
}

export interface FoundClient {
  /** The folder of its settings. */
  readonly folder: string;
  /** The program, if it is on the PATH. */
  readonly path?: string;
  readonly version?: string;
  /** Why Tidemark does not work with it: too old, for example. */
  readonly problem?: Finding;
}

/** A fault of an installation and the next step for the user. */
export interface Finding {
  readonly text: string;
  readonly next?: string;
  /** `tidemark install` repairs it. */
  readonly isRepairable?: boolean;
}

export interface InstallStatus {
  readonly state: 'absent' | 'installed' | 'faulty';
  /** One line that proves the state: "6 hooks in ~/.codex/hooks.json, all trusted". */
  readonly evidence: string;
  readonly findings: readonly Finding[];
}

/** Rules of the client that let the agent use our tools `remember` and `resolve` without a dialog. */
export interface NoteRules {
  readonly rules: readonly string[];
  /** The client's file with the rules. */
  file(world: Pick<InstallWorld, 'env' | 'places'>): string;
  areSet(world: Pick<InstallWorld, 'env' | 'places'>): boolean;
  /** Adds or removes the rules. Returns false if the file cannot be changed. */
  set(world: Pick<InstallWorld, 'env' | 'places'>, allowed: boolean): boolean;
}

/** Plugins of others in the client, by id. */
export interface ForeignPlugins {
  /** Those that are on, for a project's folder too. */
  enabled(env: NodeJS.ProcessEnv, cwd: string): readonly string[];
  /** Turns one off with the client's own command. It stays installed. */
  disable(env: NodeJS.ProcessEnv, id: string): Promise<void>;
  /** The client's command for users. */
  command(change: 'enable' | 'disable', id: string): string;
}

export interface Installer {
  /** Whether the client is on this machine, or was used here. */
  find(env: NodeJS.ProcessEnv): Promise<FoundClient | undefined>;
  /** Lists what `install` would change, one line each; empty if nothing. Changes nothing. */
  plan(world: InstallWorld): Promise<readonly string[]>;
  /** Installs or updates. Returns what was done, one line each; empty if nothing. */
  install(world: InstallWorld): Promise<readonly string[]>;
  /** Restores the user's files byte for byte. Returns what was done, one line each. Works without the client. */
  remove(world: Pick<InstallWorld, 'env' | 'places'>): Promise<readonly string[]>;
  status(world: InstallWorld): Promise<InstallStatus>;
  /** Folders of our plugin that the client copied, of any version. */
  copies?(env: NodeJS.ProcessEnv): readonly string[];
  /** The version of the client that wrote the newest session, where sessions contain it. */
  lastVersion?(env: NodeJS.ProcessEnv): string | undefined;
  /** Where plugins of others can be turned off. */
  readonly plugins?: ForeignPlugins;
  /** Where the client asks before it uses our tools. */
  readonly notes?: NoteRules;
  /** Nothing in the client runs the script in the data folder (`installing/hook-wrapper.ts`). */
  readonly runsOwnFiles?: true;
  /** Where a user sees why the client runs no hooks, and which sessions have none on purpose. */
  readonly ifSilent?: string;
}
