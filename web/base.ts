/** Base path of the page on its server: empty on a machine, `/hub` on a team server. This script is in its root. */
export const BASE = new URL('.', import.meta.url).pathname.slice(0, -1);
