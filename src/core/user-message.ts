/** A message that a client shows to the user beside its own and those of other tools: it begins with our name. Pure. */
export function userMessage(text: string): string {
  return text === '' || text.startsWith('Tidemark') ? text : `Tidemark: ${text}`;
}
