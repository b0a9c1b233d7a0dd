/** Our slash commands in clients that send a command's text as the prompt, so the text begins with the command's name. Pure. */

const NAMED = /^(\/tidemark:[\w-]+)\n\n/;

export function namedCommand(name: string, text: string): string {
  return `/tidemark:${name}\n\n${text}`;
}

/** Returns the command instead of its text, and every other prompt as it is. */
export function asTyped(prompt: string): string {
  return NAMED.exec(prompt)?.[1] ?? prompt;
}
