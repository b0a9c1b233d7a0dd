/** Writes the table of docs/config.md from the settings themselves; with --check, only says whether it is up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentName, READ_AT_START, SETTING_KEYS, SETTINGS } from '../src/config/index.ts';
import { isMain, root } from './_setup.mjs';

const BEGIN = '<!-- settings: made by scripts/config-doc.mjs -->';
const END = '<!-- /settings -->';
const LATER = ' *From the daemon’s next start.*';

/** @param {string} text docs/config.md as it is @returns {string} and as it should be */
export function withTable(text) {
  const [before, rest = ''] = text.split(BEGIN);
  const after = rest.split(END)[1] ?? '\n';
  return `${before}${BEGIN}\n${table()}\n${END}${after}`;
}

function table() {
  const rows = SETTING_KEYS.map((key) => {
    const { doc } = SETTINGS[key];
    const where = byProject(SETTINGS[key]);
    return `| \`${key}\` | ${typeOf(SETTINGS[key])} | \`${JSON.stringify(SETTINGS[key].default)}\` | ${where} | \`${environmentName(key)}\` | ${cell(doc)}${READ_AT_START.has(key) ? LATER : ''} |`;
  });
  return [
    '| setting | type | default | by a project | environment | what it does |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** @param {import('../src/config/index.ts').Setting} setting what a project's file may set */
function byProject(setting) {
  if (setting.scope === 'user') return 'no';
  return setting.stricter === 'lower' ? 'only lower' : `only \`${setting.stricter}\``;
}

/** @param {import('../src/config/index.ts').Setting} setting */
function typeOf(setting) {
  switch (setting.type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `whole number, ${setting.min} to ${setting.max}`;
    case 'text':
      return cell(setting.wanted);
    case 'choice':
      return setting.choices.map((choice) => `\`${choice}\``).join(', ');
    case 'list':
      return 'list of texts';
  }
}

/** @param {string} text */
function cell(text) {
  return text.replaceAll('|', '\\|');
}

if (isMain(import.meta.url)) {
  const file = join(root, 'docs', 'config.md');
  const text = readFileSync(file, 'utf8');
  if (!process.argv.includes('--check')) writeFileSync(file, withTable(text));
  else if (withTable(text) !== text) {
    console.error('docs/config.md is not what src/config/settings.ts says. Run: node scripts/config-doc.mjs');
    process.exitCode = 1;
  }
}
