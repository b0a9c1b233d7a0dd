/** The part of pi's extension API that we use (pi 0.87). This module only declares types. */

export interface PiContext {
  readonly cwd: string;
  readonly mode?: 'tui' | 'rpc' | 'json' | 'print';
  readonly hasUI?: boolean;
  readonly ui: { notify(text: string, kind?: 'info' | 'warning' | 'error'): void };
  readonly sessionManager: {
    getSessionId(): string;
    /** Undefined for a session that is not stored. */
    getSessionFile(): string | undefined;
    /** The entries from the root to the current leaf. */
    getBranch(): readonly PiEntry[];
  };
}

export interface PiEntry {
  readonly type: string;
  readonly customType?: string;
  readonly details?: unknown;
}

export interface PiText {
  readonly type: string;
  readonly text?: string;
}

export interface PiEvents {
  session_start: { readonly reason: 'startup' | 'reload' | 'new' | 'resume' | 'fork' };
  session_compact: object;
  session_tree: object;
  session_shutdown: { readonly reason: string };
  before_agent_start: { readonly prompt: string };
  agent_end: { readonly messages: readonly unknown[] };
  agent_settled: object;
  tool_result: {
    readonly toolName: string;
    readonly toolCallId: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly content: readonly PiText[];
    readonly isError: boolean;
  };
}

export interface PiResults {
  before_agent_start: {
    readonly message: {
      readonly customType: string;
      readonly content: string;
      readonly display: boolean;
      readonly details: object;
    };
  };
  tool_result: { readonly content: readonly PiText[] };
}

type ResultOf<E> = E extends keyof PiResults ? PiResults[E] | undefined : void;

export interface PiTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly promptSnippet: string;
  /** A JSON schema. */
  readonly parameters: object;
  execute(
    call: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    context: PiContext,
  ): Promise<{ readonly content: readonly PiText[]; readonly details: undefined }>;
}

export interface Pi {
  on<E extends keyof PiEvents>(
    event: E,
    handler: (event: PiEvents[E], context: PiContext) => Promise<ResultOf<E>>,
  ): unknown;
  registerTool(tool: PiTool): void;
}
