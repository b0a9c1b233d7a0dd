/** Entry of the CLI. Imports modules only when they are needed, because loading takes most of its time. */
import { VERSION } from '../core/index.ts';

const argv = process.argv.slice(2);

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  void import('./run.ts').then(async ({ runCommandLine }) => {
    process.exitCode = await runCommandLine(argv);
  });
}
