/** The key under which our plugin notes the command that the user typed, in the part of the prompt that the client stores. */
export const OWN_COMMAND_KEY = 'tidemark_command';
