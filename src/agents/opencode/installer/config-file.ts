/** Our part of OpenCode's settings: one MCP server. Comments and every other byte stay. Pure. */
import { isObject } from '../../reading/json.ts';
import { parseJson, withMember, withoutMember } from '../../installing/json-text.ts';

const SERVER = ['mcp', 'tidemark'] as const;
/** The client adds this line to a file without it. */
const NEW_FILE = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n';

/** Adds the server to the settings, which may be missing or empty, or replaces another one of its name. One that the user has switched off stays so. */
export function withServer(text: string | null, command: readonly string[]): string {
  const now = text || NEW_FILE;
  if (hasServer(now, command)) return now;
  return withMember(now, SERVER, { type: 'local', command, enabled: true });
}

/** Whether the server is there and runs this command. */
export function hasServer(text: string, command: readonly string[]): boolean {
  const server = serverIn(parseJson(text));
  return server?.['type'] === 'local' && JSON.stringify(server['command']) === JSON.stringify(command);
}

export function withoutServer(text: string): string {
  const rest = withoutMember(text, SERVER);
  const json = parseJson(rest);
  const isLast = isObject(json) && isObject(json['mcp']) && Object.keys(json['mcp']).length === 0;
  return rest !== text && isLast ? withoutMember(rest, ['mcp']) : rest;
}

function serverIn(json: unknown) {
  const servers = isObject(json) ? json['mcp'] : undefined;
  const server = isObject(servers) ? servers['tidemark'] : undefined;
  return isObject(server) ? server : undefined;
}
