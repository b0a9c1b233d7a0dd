/** The team view of a machine: shared projects, the state of the exchange, problems; before login, how to share. */
import { shortId } from '../../src/core/words/index.ts';
import type { Team as TeamAnswer } from '../../src/http/index.ts';
import { Notice, Shown, withCode } from '../parts/notice.tsx';
import { Text } from '../parts/text.tsx';
import { useTitle } from '../parts/use-title.ts';
import { to } from '../route.ts';
import { dateAndTime } from '../time.ts';
import { useAnswer } from '../use-answer.ts';
import { counted } from '../words.ts';

export function Team() {
  useTitle('Team');
  const team = useAnswer('GET /team');
  return (
    <>
      <h1>Team</h1>
      <Shown answer={team}>
        {(view) => (
          <div class="stack team-page">
            {view.configured || view.projects.length > 0 ? <Shared team={view} /> : <NothingShared />}
          </div>
        )}
      </Shown>
    </>
  );
}

function Shared({ team }: { readonly team: TeamAnswer }) {
  const { configured, server, team: name, member, machine, projects, waiting, lastGoodAt, problem } = team;
  return (
    <>
      <section class="panel team" aria-labelledby="team-who">
        <h2 id="team-who">{name ?? 'Logged out'}</h2>
        {configured ? (
          <p>
            You are <b>{member}</b> on {server}; this machine is called <code>{machine}</code>.
          </p>
        ) : (
          <p>
            Nothing is exchanged until you log in again: <code>tidemark login</code>
          </p>
        )}
        <p>
          {lastGoodAt ? `Last exchange ${dateAndTime(lastGoodAt)}` : 'No exchange yet'};{' '}
          {waiting === 0 ? 'nothing to send' : `${counted(waiting, 'change')} to send`}.
        </p>
        {problem && <p role="alert">{withCode(`${problem.message}. ${problem.hint}`)}</p>}
      </section>
      {projects.length === 0 && (
        <Notice title="Nothing is shared">
          <p>
            Share a project with <code>tidemark share</code>: it shows what will leave this machine and asks
            before it sends anything.
          </p>
        </Notice>
      )}
      {projects.map((one) => (
        <Project key={one.project} shared={one} />
      ))}
      <ReplacedTexts conflicts={team.conflicts} />
    </>
  );
}

function Project({ shared }: { readonly shared: TeamAnswer['projects'][number] }) {
  const { project, name, leaving, sent, from, waiting, refused, skipped, delayed, held } = shared;
  const others = Object.entries(from).map(([author, n]) => `${n} by ${author}`);
  return (
    <section class="panel team" aria-label={name}>
      <h2>
        <a href={to.project(project)}>{name}</a>
      </h2>
      {leaving && <p>Sharing ends; the server has not confirmed it yet.</p>}
      <p>
        {counted(sent, 'entry', 'entries')} shared by you;{' '}
        {others.length > 0 ? `from others: ${others.join(', ')}` : 'nothing from others yet'};{' '}
        {waiting === 0 ? 'nothing to send' : `${counted(waiting, 'change')} to send`}.
      </p>
      {refused.map(({ id, reason }) => (
        <p key={id} role="alert">
          <a href={to.memory(id)}>{shortId(id)}</a> was refused: {reason}
        </p>
      ))}
      {skipped.length > 0 && (
        <p role="alert">
          This version of Tidemark cannot read {counted(skipped.length, 'change')} of the team. It tries again
          with each exchange.
        </p>
      )}
      {delayed.length > 0 && (
        <>
          <h3>Waiting to be shared</h3>
          <ul>
            {delayed.map(({ id, title, until }) => (
              <li key={id}>
                <a href={to.memory(id)}>
                  <Text text={title} />
                </a>{' '}
                <span class="soft small">will be shared on {dateAndTime(until)}</span>
              </li>
            ))}
          </ul>
          <p class="soft small">
            To keep one on this machine: <code>tidemark share --hold {shortId(delayed[0]?.id ?? '')}</code>
          </p>
        </>
      )}
      {held.length > 0 && (
        <>
          <h3>Kept on this machine</h3>
          <ul>
            {held.map(({ id, title, why }) => (
              <li key={id}>
                <a href={to.memory(id)}>
                  <Text text={title} />
                </a>{' '}
                <span class="soft small">{why}</span>
              </li>
            ))}
          </ul>
          <p class="soft small">
            To share one: <code>tidemark share {shortId(held[0]?.id ?? '')}</code>
          </p>
        </>
      )}
    </section>
  );
}

function ReplacedTexts({ conflicts }: { readonly conflicts: TeamAnswer['conflicts'] }) {
  if (conflicts.length === 0) return null;
  return (
    <section class="panel team" aria-labelledby="team-conflicts">
      <h2 id="team-conflicts">Replaced texts</h2>
      <p>
        Two people changed these memories at the same time, and the later change was kept. The other text
        stays here until you dismiss it: <code>tidemark team --seen</code>
      </p>
      <ul>
        {conflicts.map(({ memory, at, lost, machine, text }) => (
          <li key={`${memory} ${at}`}>
            <a href={to.memory(memory)}>
              <Text text={text.title} />
            </a>{' '}
            <span class="soft small">
              {lost === 'ours'
                ? `yours, replaced by the text from ${machine}`
                : `from ${machine}, replaced by yours`}
            </span>
            {text.body && (
              <p>
                <Text text={text.body} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function NothingShared() {
  return (
    <section class="panel team" aria-labelledby="share">
      <h2 id="share">Nothing is shared</h2>
      <p>Everything Tidemark remembers is on this machine, and only you can read it.</p>
      <h3>Share files</h3>
      <p>
        Memories are Markdown files. Keep those of a project in its repository or in a synced folder:{' '}
        <code>tidemark journal</code>
      </p>
      <h3>Share through a team server</h3>
      <p>
        If your team has a server, log in with <code>tidemark login</code>, then run{' '}
        <code>tidemark share</code>. It shows what will leave this machine and asks first.
      </p>
    </section>
  );
}
