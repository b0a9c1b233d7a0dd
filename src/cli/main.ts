/** Entry of the CLI. Loads what it needs only when it is needed: most of its time is loading. */
import { VERSION } from '../core/index.ts';

const argv = process.argv.slice(2);

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  void import('./run.ts').then(async ({ runCommandLine }) => {
    process.exitCode = await runCommandLine(argv);
  });
}
