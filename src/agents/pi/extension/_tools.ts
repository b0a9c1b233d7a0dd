/** Registers our tools with pi, which has no MCP. They are loaded from the program that also serves them by MCP. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { OWN_TOOL_PREFIX } from '../own-tools.ts';
import type { Pi } from './_pi-api.ts';

/** Every tool is in each request, so only these: to find a memory, open it, read its conversation, and keep notes. */
const TOOLS = new Set(['search', 'show', 'transcript', 'remember', 'resolve']);

/** The exports of `tools.cjs` (src/mcp/in-process.ts). */
interface ToolsProgram {
  readonly tools: readonly {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly inputSchema: object;
  }[];
  runTool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    from: {
      readonly home: string;
      readonly agent: string;
      readonly dir: string;
      readonly session: string;
      readonly call: string;
    },
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly isError: boolean }>;
}

export function registerTools(pi: Pi, home: string, folder: string): void {
  try {
    const program = createRequire(join(folder, 'tools.cjs'))('./tools.cjs') as ToolsProgram; // built from our source
    for (const { name, title, description, inputSchema } of program.tools) {
      if (!TOOLS.has(name)) continue;
      pi.registerTool({
        name: `${OWN_TOOL_PREFIX}${name}`,
        label: `Tidemark: ${title}`,
        description,
        promptSnippet: `${title} of earlier sessions`,
        parameters: inputSchema,
        execute: async (call, input, signal = new AbortController().signal, _onUpdate, context) => {
          const session = context.sessionManager.getSessionId();
          const from = { home, agent: 'pi', dir: context.cwd, session, call };
          const { text, isError } = await program.runTool(name, input, from, signal);
          if (isError) throw new Error(text); // pi shows it to the model as a failed call
          return { content: [{ type: 'text', text }], details: undefined };
        },
      });
    }
  } catch {
    // A damaged installation has no tools; `tidemark doctor` tells.
  }
}
