/** Opening a memory is use: the ledger gets to know, since use feeds ranking. Never stands in the way of the answer. */
import type { ToolContext } from './tool.ts';

export async function noteOpened(memories: readonly string[], { call, session }: ToolContext): Promise<void> {
  if (memories.length === 0) return;
  try {
    await call('used', { memories, session, how: 'opened' });
  } catch (error) {
    // The client keeps a server's stderr in its own log.
    process.stderr.write(
      `tidemark: use not noted: ${error instanceof Error ? error.message : String(error)}\n`,
    );
  }
}
