/** The part of OpenCode's plugin API that we use (1.18). This module only declares types. */

export interface PluginInput {
  /** The folder that the client works in. */
  readonly directory: string;
  readonly client?: {
    readonly tui?: {
      showToast?(options: { readonly body: { readonly message: string; readonly variant: 'info' } }): unknown;
    };
  };
}

export interface SessionInfo {
  readonly id: string;
  readonly parentID?: string;
  readonly directory?: string;
  readonly agent?: string;
}

/** An event of the client's bus. Other events have other properties. */
export interface BusEvent {
  readonly type: string;
  readonly properties?: { readonly sessionID?: string; readonly info?: SessionInfo };
}

export interface Part {
  readonly id: string;
  readonly sessionID: string;
  readonly messageID: string;
  readonly type: string;
  text?: string;
  synthetic?: boolean;
  metadata?: Record<string, unknown>;
}

/** Our answers go into the second argument of each. */
export interface Hooks {
  event?(input: { readonly event: BusEvent }): Promise<void>;
  'command.execute.before'?(
    input: { readonly command: string; readonly arguments: string },
    output: { readonly parts: readonly Partial<Part>[] },
  ): Promise<void>;
  'chat.message'?(
    input: { readonly sessionID: string },
    output: { readonly message: { readonly id: string }; readonly parts: Part[] },
  ): Promise<void>;
  'experimental.chat.system.transform'?(
    input: { readonly sessionID?: string },
    output: { readonly system: string[] },
  ): Promise<void>;
  'tool.execute.after'?(
    input: {
      readonly tool: string;
      readonly sessionID: string;
      readonly callID: string;
      readonly args?: { readonly filePath?: unknown };
    },
    /** The result of an MCP tool has no such text. */
    output: { output?: unknown },
  ): Promise<void>;
  'experimental.session.compacting'?(input: { readonly sessionID: string }): Promise<void>;
  dispose?(): Promise<void>;
}
