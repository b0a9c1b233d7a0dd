/** Marks the text that a plugin adds to the result of a tool, so that a reader can remove it again. Pure. */

const TAG = 'tidemark-context';
const MARKED = new RegExp(`\\n\\n<${TAG}>\\n[\\s\\S]*\\n</${TAG}>$`);

export function withInjected(output: string, context: string): string {
  return `${output}\n\n<${TAG}>\n${context}\n</${TAG}>`;
}

export function withoutInjected(output: string): string {
  return output.replace(MARKED, '');
}
