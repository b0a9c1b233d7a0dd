/** Our own files in OpenCode's folder of settings: the plugin, commands and a skill. */
import { join } from 'node:path';
import type { Places } from '../../../core/index.ts';
import { COMMANDS } from '../../installing/commands.ts';
import type { OwnFile } from '../../installing/own-files.ts';
import { SKILL_NAME, SKILL_TEXT } from '../../installing/skill.ts';

export function pluginFile(folder: string, { home }: Pick<Places, 'home'>): OwnFile {
  return { path: join(folder, 'plugin', 'tidemark.js'), text: pluginText(home) };
}

/** The client also finds the first folder of each kind under its plural. */
export function otherFiles(folder: string): readonly OwnFile[] {
  return [
    { path: join(folder, 'skill', SKILL_NAME, 'SKILL.md'), text: SKILL_TEXT },
    ...COMMANDS.map(({ name, description, prompt }) => ({
      path: join(folder, 'command', `tidemark-${name}.md`),
      text: `---\ndescription: ${description}\n---\n\n${prompt.replace('{{args}}', () => '$ARGUMENTS')}\n`,
    })),
  ];
}

/**
 * Loads the program that was installed last, so that the text changes only with the data folder. The client refuses a file
 * with an export that is not a plugin.
 */
function pluginText(home: string): string {
  return `// Tidemark for OpenCode: loads the installed program. Written by \`tidemark install\`, removed by \`tidemark uninstall\`.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const home = ${JSON.stringify(home)};

export const Tidemark = async (input) => {
  try {
    const [program] = readFileSync(\`\${home}/program\`, 'utf8').split('\\n');
    return createRequire(\`\${program}/\`)(\`\${program}/opencode.cjs\`).default(input, home);
  } catch {
    return {}; // Tidemark is gone or damaged: OpenCode continues without it.
  }
};
`;
}
