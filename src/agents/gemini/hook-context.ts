/** Removes what hooks injected from a text of Gemini CLI. The client escapes `<` and `>` inside. Pure. */

const INJECTED = /\s*<hook_context>[\s\S]*?<\/hook_context>\s*/g;

export function withoutHookContext(text: string): string {
  return text.includes('<hook_context>') ? text.replace(INJECTED, '\n').trim() : text;
}
