/** The MCP server on stdin and stdout, for any agent that speaks the protocol. The server itself is a program of its own. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError } from '../../../core/index.ts';
import type { Verb } from '../../verb.ts';

export const mcp: Verb = {
  name: 'mcp',
  usage: 'mcp [--print-config]',
  summary: 'Serve memory over MCP (stdio); Claude Code starts this by itself.',
  options: {
    'print-config': { type: 'boolean', doc: 'Print what to put into the settings of another MCP client.' },
  },
  examples: ['tidemark mcp --print-config'],
  async run({ options, env, screen }) {
    const program = join(__dirname, 'mcp.cjs');
    if (!existsSync(program)) {
      throw new TidemarkError('not-built', 'the program is not built', {
        hint: 'In a clone, run: npm start',
      });
    }
    if (options['print-config']) return screen.json(configFor(program, env));
    process.getBuiltinModule('node:module').createRequire(program)(program);
    await new Promise(() => {}); // the server ends the process when its client is gone
  },
};

/** The shape most clients share; docs/mcp.md names the others. */
function configFor(program: string, env: NodeJS.ProcessEnv): object {
  const home = env['TIDEMARK_HOME'];
  return {
    mcpServers: {
      tidemark: {
        command: process.execPath,
        args: [program],
        ...(home ? { env: { TIDEMARK_HOME: home } } : {}),
      },
    },
  };
}
