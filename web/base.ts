/** Where the page stands on its server: nothing on one's own machine, `/hub` on a team's. This script lies in its root. */
export const BASE = new URL('.', import.meta.url).pathname.slice(0, -1);
