/** `npm run check`: types, lint, format, layers, budgets, language and generated docs, in parallel. Changes nothing. */
import { isMain, root, runQuietly, setUp } from './_setup.mjs';

const CHECKS = [
  { name: 'types', command: 'tsc', args: ['-p', '.'] },
  { name: 'types of the hub page', command: 'tsc', args: ['-p', 'web'] },
  { name: 'lint', command: 'oxlint', args: ['--deny-warnings'] },
  { name: 'format', command: 'oxfmt', args: ['--check', '.'] },
  { name: 'layers', command: 'node', args: ['scripts/layers.mjs'] },
  { name: 'budgets', command: 'node', args: ['scripts/budgets.mjs'] },
  { name: 'language', command: 'node', args: ['scripts/language.mjs'] },
  { name: 'settings documented', command: 'node', args: ['scripts/config-doc.mjs', '--check'] },
];

/** @returns {Promise<{name: string, ok: boolean, output: string}[]>} */
export async function check() {
  return Promise.all(
    CHECKS.map(async ({ name, command, args }) => {
      // The tools are .cmd files on Windows.
      const shell = process.platform === 'win32';
      const { code, output } = await runQuietly(command, args, { cwd: root, shell });
      return { name, ok: code === 0, output: output.trim() };
    }),
  );
}

if (isMain(import.meta.url)) {
  await setUp();
  const results = await check();
  for (const { name, ok, output } of results) {
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${name}`);
    if (!ok) console.log(output);
  }
  process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
}
