/** New memories and recalls as they happen. */
import { useTeam } from '../here.ts';
import { connection, type Connection } from '../live.ts';
import { Feed } from '../parts/feed.tsx';
import { useTitle } from '../parts/use-title.ts';

const LIMIT = 60;
const SAID: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting to the daemon…',
  connected: 'Connected. New memories and recalls appear by themselves.',
  offline: 'The connection is lost. Trying again; nothing that happens meanwhile will be missed.',
  locked: 'This browser is locked out. Run tidemark hub for a fresh link.',
};

const SAID_IN_A_TEAM: typeof SAID = {
  connecting: 'Connecting to the server…',
  connected: 'Connected. What the team remembers appears by itself.',
  offline: 'The connection is lost. Trying again; nothing that happens meanwhile will be missed.',
  locked: 'This browser is logged out. Load the page again to log in.',
};

export function Live() {
  useTitle('Live');
  const state = connection.use();
  const said = useTeam() ? SAID_IN_A_TEAM : SAID;
  return (
    <>
      <h1>Live</h1>
      <p class={`lead live-state ${state}`} role="status">
        <span class={`dot ${state}`} aria-hidden="true" /> {said[state]}
      </p>
      <section class="panel" aria-label="What happens">
        <Feed limit={LIMIT} />
      </section>
    </>
  );
}
