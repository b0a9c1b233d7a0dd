/** The wire of pi, for our extension. */
import { pluginWire } from '../wire/plugin-wire.ts';

export const piWire = pluginWire('pi', ['PI_CODING_AGENT_DIR', 'PI_CODING_AGENT_SESSION_DIR']);
