/** New, changed and injected memories as they happen. */
import { useTeam } from '../here.ts';
import { connection, type Connection } from '../live.ts';
import { Feed } from '../parts/feed.tsx';
import { useTitle } from '../parts/use-title.ts';

const LIMIT = 60;
const STATES: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting to the daemon…',
  connected: 'Connected. New, changed and injected memories appear here as they happen.',
  offline: 'Connection lost. Trying again; no events will be missed.',
  locked: 'This browser is signed out. Run tidemark hub for a new link.',
};

const STATES_IN_A_TEAM: typeof STATES = {
  connecting: 'Connecting to the server…',
  connected: 'Connected. New memories of the team appear here as they happen.',
  offline: 'Connection lost. Trying again; no events will be missed.',
  locked: 'This browser is logged out. Load the page again to log in.',
};

export function Live() {
  useTitle('Live');
  const state = connection.use();
  const text = useTeam() ? STATES_IN_A_TEAM : STATES;
  return (
    <>
      <h1>Live</h1>
      <p class={`lead live-state ${state}`} role="status">
        <span class={`dot ${state}`} aria-hidden="true" /> {text[state]}
      </p>
      <section class="panel" aria-label="Live events">
        <Feed limit={LIMIT} />
      </section>
    </>
  );
}
