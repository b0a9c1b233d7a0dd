/**
 * Redacts a turn before it is stored. A private span that one field leaves open continues in the next fields, in the
 * order of the conversation: prompt, tool calls, answer.
 */
import type { ToolCall, Turn } from '../core/index.ts';
import { addCounts, placeholder, type Counts } from './secrets/span.ts';
import { redact, redactFrom, redactName } from './redact.ts';

const PRIVATE = placeholder('private');

export function redactTurn(turn: Turn): { readonly turn: Turn; readonly counts: Counts } {
  const reader = new SpanReader();
  const prompt = reader.next(turn.prompt);
  const tools = turn.tools.map((tool) => redactTool(tool, reader));
  const answer = reader.next(turn.answer);
  const cwd = turn.cwd === undefined ? {} : { cwd: reader.apart(turn.cwd) };
  const branch = turn.branch === undefined ? {} : { branch: reader.apart(turn.branch) };
  return { turn: { ...turn, prompt, tools, answer, ...cwd, ...branch }, counts: reader.counts };
}

function redactTool(tool: ToolCall, reader: SpanReader): ToolCall {
  const target = tool.target === undefined ? {} : { target: reader.next(tool.target) };
  const command = tool.command === undefined ? {} : { command: reader.next(tool.command) };
  const wasOpen = reader.isOpen;
  const output = tool.output === undefined ? {} : { output: reader.next(tool.output) };
  const hidesLines = wasOpen || reader.isOpen || (output.output?.includes(PRIVATE) ?? false);
  const errors = tool.errors.map((line) => {
    const clean = reader.apart(line);
    // Error lines are taken from the output, without the tags around them.
    return hidesLines && !(output.output?.includes(clean) ?? false) ? PRIVATE : clean;
  });
  const read = reader.isOpen ? [] : tool.read.map((path) => reader.apart(path));
  const edited = reader.isOpen ? [] : tool.edited.map((path) => reader.apart(path));
  // A server may name its tools after a key.
  const name = reader.name(tool.name);
  return { ...tool, name, ...target, ...command, ...output, errors, read, edited };
}

/** Carries open private spans and counts from field to field. */
class SpanReader {
  readonly counts: Record<string, number> = {};
  #depth = 0;

  get isOpen(): boolean {
    return this.#depth > 0;
  }

  next(text: string): string {
    const found = redactFrom(text, this.#depth);
    this.#depth = found.depth;
    addCounts(this.counts, found.counts);
    return found.text;
  }

  name(text: string): string {
    const found = redactName(text);
    addCounts(this.counts, found.counts);
    return found.text;
  }

  /** Redacts a field that is not part of the conversation, like a path. */
  apart(text: string): string {
    const found = redact(text);
    addCounts(this.counts, found.counts);
    return found.text;
  }
}
