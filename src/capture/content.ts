/**
 * Decides which part of a turn is content. Our own slash commands, the client's commands and answers that were only read
 * from memory are not: they would become titles and memories of themselves. Pure.
 */
import type { ToolCall, Turn } from '../core/index.ts';

/** Commands of our plugin: `/tidemark:search`. */
const OWN_COMMAND = /^\/tidemark:[\w-]+/i;

/** Commands that the client answers itself, or that only change its state. The agent's own (`/init`, `/review`) are content. */
const CLIENT_COMMANDS: ReadonlySet<string> = new Set(
  (
    'add-dir agents bashes branch bug chrome clear color compact config context copy cost desktop diff doctor effort ' +
    'exit export extra-usage fast feedback fork help hooks ide install-github-app install-slack-app keybindings login ' +
    'logout mcp memory mobile model new output-style passes permissions plugin plugins privacy-settings quit ' +
    'release-notes reload-plugins remote-control remote-env rename resume rewind sandbox settings skills stats status ' +
    'statusline stickers tasks terminal-setup theme todos upgrade usage vim voice'
  ).split(' '),
);

/** The tools of our MCP server that only read, under every name a client gives to it. */
const READING_TOOL =
  /^mcp__(?:plugin_)?tidemark(?:_\w+?)?__(?:search|show|timeline|transcript|projects|list_projects)$/;
/** The verbs of our CLI that only read. */
const READING_COMMAND =
  /^(?:\S*\/)?tidemark\s+(?:ask|brief|cost|projects|search|sessions|show|stats|status|timeline|transcript|why)\b[^>]*$/;
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
  const commands = command
    .replace(/\s2>(?:&1|\/dev\/null)/g, '')
    .split(/&&|\|\||[;|\n]/)
    .map((part) => part.trim());
  return (
    commands.some((part) => READING_COMMAND.test(part)) &&
    commands.every((part) => READING_COMMAND.test(part) || FILTERS.test(part))
  );
}

/** Programs that only shorten the output of another. */
const FILTERS = /^(?:head|tail|grep|cat|jq|less|wc|sort)\b[^>]*$|^$/;

/** Whether every sentence asks for something, or is too short to state something. */
function asksOnly(prompt: string): boolean {
  const sentences = prompt.split(/(?<=[.!?。！？])\s*|\n+/).map((text) => text.trim());
  return sentences.every((text) => text.length < SHORT_STATEMENT || /[?？]$/.test(text) || ASKING.test(text));
}

/** "thanks", "hi there": shorter than a statement. */
const SHORT_STATEMENT = 12;
const ASKING =
  /^(?:(?:please|and|so|ok|hey|remind me|tell me)[, ]+)*(?:what|why|which|when|where|who|how|did|do|does|is|are|was|were|can|could|have|has|show|find|search|look up|recall|list|explain|summari[sz]e)\b/i;
