export { beforeEdit } from './before-edit.ts';
export { INSTRUCTIONS } from './instructions.ts';
export { checkArguments, type Checked, type InputSchema, type Property } from './schema.ts';
export { serveMcp, type McpOptions } from './serve.ts';
export type { Tool, ToolContext } from './tool.ts';
export { TOOLS } from './tools/index.ts';
