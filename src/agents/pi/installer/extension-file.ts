/**
 * The file in pi's folder of extensions. It loads the program that was installed last, so its text changes only with the
 * data folder. Without that program it does nothing.
 */
import { join } from 'node:path';
import type { Places } from '../../../core/index.ts';
import type { OwnFile } from '../../installing/own-files.ts';
import { piFolder } from '../folder.ts';

export function extensionFile(env: NodeJS.ProcessEnv, { home }: Pick<Places, 'home'>): OwnFile {
  return { path: join(piFolder(env), 'extensions', 'tidemark.ts'), text: textFor(home) };
}

function textFor(home: string): string {
  return `// Tidemark for pi: loads the installed program. Written by \`tidemark install\`, removed by \`tidemark uninstall\`.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const home = ${JSON.stringify(home)};

export default function (pi: any) {
  try {
    const [program] = readFileSync(\`\${home}/program\`, 'utf8').split('\\n');
    createRequire(\`\${program}/\`)(\`\${program}/pi.cjs\`).default(pi, home);
  } catch {
    // Tidemark is gone or damaged: pi continues without it.
  }
}
`;
}
