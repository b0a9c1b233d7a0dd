/** Slash commands that Claude Code answers itself, or that only change its state. `/init` and `/review` are the agent's work. */
export const COMMANDS: readonly string[] = (
  'add-dir agents bashes branch bug chrome clear color compact config context copy cost desktop diff doctor effort ' +
  'exit export extra-usage fast feedback fork help hooks ide install-github-app install-slack-app keybindings login ' +
  'logout mcp memory mobile model new output-style passes permissions plugin plugins privacy-settings quit ' +
  'release-notes reload-plugins remote-control remote-env rename resume rewind sandbox settings skills stats status ' +
  'statusline stickers tasks terminal-setup theme todos upgrade usage vim voice'
).split(' ');
