/** Extracts the user's own text from a prompt of pi: an expanded skill and the files of the command line become names. Pure. */
import { objectsIn, textOf } from '../../reading/json.ts';

const SKILL = /^<skill name="([^"]+)" location="[^"]*">\n[\s\S]*?\n<\/skill>(?:\n\n)?/;
const FILE = /^<file name="([^"]+)">[\s\S]*?<\/file>\n?/;

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
  const names: string[] = [];
  let rest = text;
  for (let file = FILE.exec(rest); file; file = FILE.exec(rest)) {
    names.push(`@${file[1]}`);
    rest = rest.slice(file[0].length);
  }
  return [names.join(' '), rest].filter(Boolean).join('\n').trim();
}
