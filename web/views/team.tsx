/** What is shared, and with whom; until a server is set up, how that would be. */
import { Notice, Shown } from '../parts/notice.tsx';
import { useTitle } from '../parts/use-title.ts';
import { useAnswer } from '../use-answer.ts';

export function Team() {
  useTitle('Team');
  const team = useAnswer('GET /team');
  return (
    <>
      <h1>Team</h1>
      <Shown answer={team}>
        {() => (
          <>
            <Notice title="Nothing is shared">
              <p>Everything Tidemark remembers is on this machine, and only you can read it.</p>
            </Notice>
            <section class="panel team" aria-labelledby="share">
              <h2 id="share">Sharing a project today</h2>
              <p>
                The journal is Markdown. Keep it where your team already shares things: commit a project’s
                folder of <code>~/.tidemark/journal</code> to git, or put it into a synced folder. Entries
                keep their ids through edits, merges and moves.
              </p>
              <h2>A shared server</h2>
              <p>
                A server for teams is not set up on this machine. Until one is, nothing is sent anywhere, and
                there is no setting that would.
              </p>
            </section>
          </>
        )}
      </Shown>
    </>
  );
}
