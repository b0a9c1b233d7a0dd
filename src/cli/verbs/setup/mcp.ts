/** Starts the MCP server on stdin and stdout. The server is a separate program. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError } from '../../../core/index.ts';
import { flag, type Verb } from '../../verb.ts';

export const mcp: Verb = {
  name: 'mcp',
  usage: 'mcp [--print-config]',
  summary: 'Run the MCP server (stdio); your coding agents start it by themselves.',
  json: false,
  options: {
    'print-config': flag('Print the settings for another MCP client.'),
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
    await new Promise(() => {}); // the server ends the process when its client disconnects
  },
};

/** The format that most clients share; docs/mcp.md lists the others. */
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
