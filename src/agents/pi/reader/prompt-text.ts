/** Extracts the user's own text from a prompt of pi: an expanded skill and the files of the command line become names. Pure. */
import { objectsIn, textOf } from '../../reading/json.ts';

/** Up to the last end mark: a skill or a file may contain one, and nothing of it must become the user's words. */
const SKILL = /^<skill name="([^"]+)" location="[^"]*">\n[\s\S]*\n<\/skill>(?:\n\n)?/;
const FILES = /^<file name="[^"]+">[\s\S]*<\/file>\n?/;
const FILE_NAME = /^<file name="([^"]+)">/gm;

export function promptText(content: unknown): string {
  if (typeof content === 'string') return own(content);
  const texts = objectsIn(content).map((block) => {
    if (block['type'] === 'image') return '[image]';
    return block['type'] === 'text' ? own(textOf(block['text']) ?? '') : '';
  });
  return texts.filter(Boolean).join('\n\n');
}

function own(text: string): string {
  const skill = SKILL.exec(text);
  if (skill) return `/skill:${skill[1]} ${text.slice(skill[0].length)}`.trim();
  const files = FILES.exec(text)?.[0] ?? '';
  const names = [...files.matchAll(FILE_NAME)].map(([, name]) => `@${name}`);
  return [names.join(' '), text.slice(files.length)].filter(Boolean).join('\n').trim();
}
