/** `npm start`: sets up, builds and runs `tidemark demo` in this process, so that Ctrl-C reaches it directly. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { root, setUp } from './_setup.mjs';

await setUp();
const { buildOrLeave } = await import('./build.mjs');
await buildOrLeave();

const cli = path.join(root, 'plugin', 'dist', 'cli.cjs');
process.argv = [process.argv[0], cli, 'demo', ...process.argv.slice(2)];
createRequire(import.meta.url)(cli);
