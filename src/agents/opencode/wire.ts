/** The wire of OpenCode, for our plugin. */
import { pluginWire } from '../wire/plugin-wire.ts';

export const openCodeWire = pluginWire('opencode', ['XDG_DATA_HOME', 'XDG_CONFIG_HOME']);
