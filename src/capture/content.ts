/**
 * Decides which part of a turn is content. Our own slash commands, the client's commands and answers that were only read
 * from memory are not: they would become titles and memories of themselves. Pure.
 */
import { CLIENT_COMMANDS } from '../agents/index.ts';
import type { ToolCall, Turn } from '../core/index.ts';

/** Our commands and our skill, as the clients name them: `/tidemark:search`, `/tidemark-search`, `$tidemark`. */
const OWN_COMMAND = /^(?:\/tidemark[:-][\w-]+|\$tidemark)(?=\s|$)/i;

/** The tools of our MCP server that only read, under every name a client gives to it. */
const READING_TOOL =
  /^mcp__(?:plugin_)?tidemark(?:_\w+?)?__(?:search|show|timeline|transcript|projects|list_projects)$/;
/** The verbs of our CLI that only read. */
const READING_COMMAND =
  /^(?:\S*\/)?tidemark\s+(?:ask|brief|projects|search|sessions|show|stats|status|timeline|transcript|why)\b[^>]*$/;
/** Tools that load others: a client that defers MCP tools calls them first. */
const LOADING_TOOLS: readonly string[] = ['ToolSearch', 'Skill', 'SlashCommand'];

/** Returns the turn without what is not content; undefined when nothing is left. */
export function contentOf(turn: Turn): Turn | undefined {
  const prompt = withoutCommand(turn.prompt);
  if (prompt === '' && turn.prompt !== '') return undefined;
  if (!readsMemoryOnly(turn.tools)) return prompt === turn.prompt ? turn : { ...turn, prompt };
  // The prompt of a subagent is the agent's own; the user may state something beside the question.
  if (turn.origin !== 'person' || asksOnly(prompt)) return undefined;
  return { ...turn, prompt, answer: '', tools: [] };
}

/** Whether the prompt is a command of our plugin or of the client, and nothing else. */
export function isAsideCommand(prompt: string): boolean {
  return prompt !== '' && withoutCommand(prompt) === '';
}

/** Returns the text that the user added while a command ran; the whole text if it does not begin with one. */
function withoutCommand(prompt: string): string {
  const [, name = ''] = /^\/([\w:-]+)(?=\s|$)/.exec(prompt) ?? [];
  if (!OWN_COMMAND.test(prompt) && !CLIENT_COMMANDS.has(name)) return prompt;
  const end = prompt.indexOf('\n\n');
  return end < 0 ? '' : prompt.slice(end).trim();
}

function readsMemoryOnly(tools: readonly ToolCall[]): boolean {
  return (
    tools.some(readsMemory) && tools.every((tool) => readsMemory(tool) || LOADING_TOOLS.includes(tool.name))
  );
}

function readsMemory({ name, command = '' }: ToolCall): boolean {
  if (READING_TOOL.test(name)) return true;
  const pipelines = command
    .replace(/\s2>(?:&1|\/dev\/null)/g, '')
    .split(/&&|\|\||[;\n]/)
    .map((pipeline) => pipeline.split('|').map((part) => part.trim()))
    .filter(([first, ...rest]) => first !== '' || rest.length > 0);
  // A filter at the beginning reads files of the project: `grep -c TODO src/*`.
  const isRead = ([first = '', ...rest]: readonly string[]): boolean =>
    READING_COMMAND.test(first) && rest.every((part) => FILTERS.test(part));
  return pipelines.length > 0 && pipelines.every(isRead);
}

/** Programs that only shorten the output of another. */
const FILTERS = /^(?:head|tail|grep|cat|jq|less|wc|sort)\b[^>]*$/;

/** Whether every sentence asks for something, or is too short to state something. */
function asksOnly(prompt: string): boolean {
  const sentences = prompt.split(/(?<=[.!?。！？])\s*|\n+/).map((text) => text.trim());
  return sentences.every((text) => text.length < SHORT_STATEMENT || /[?？]$/.test(text) || ASKING.test(text));
}

/** "thanks", "hi there": shorter than a statement. */
const SHORT_STATEMENT = 12;
const ASKING =
  /^(?:(?:please|and|so|ok|hey|remind me|tell me)[, ]+)*(?:what|why|which|when|where|who|how|did|do|does|is|are|was|were|can|could|have|has|show|find|search|look up|recall|list|explain|summari[sz]e)\b/i;
