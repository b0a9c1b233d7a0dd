/** The names of the tools that our extension adds to pi, which has no MCP: `tidemark_search`. */

export const OWN_TOOL_PREFIX = 'tidemark_';

export const OWN_TOOL = new RegExp(`^${OWN_TOOL_PREFIX}(\\w+)$`);
