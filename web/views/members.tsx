/** The team as its server knows it: who is in it, what is shared with whom, keys, and for owners what happened. */
import { useState } from 'preact/hooks';
import type { AuditList, Members as Told } from '../../src/http/index.ts';
import { ask, asApiError, type ApiError } from '../api.ts';
import { useTeam } from '../here.ts';
import { changes } from '../live.ts';
import { Shown, Trouble } from '../parts/notice.tsx';
import { useTitle } from '../parts/use-title.ts';
import { to } from '../route.ts';
import { ago, dateAndTime } from '../time.ts';
import { useAnswer } from '../use-answer.ts';
import { counted } from '../words.ts';

type Key = Told['keys'][number];

const ROLES = {
  owner: 'looks after members, keys and shares',
  member: 'shares and changes',
  reader: 'reads',
} as const;
const ACCESS = { write: 'read and change', read: 'read' } as const;
/** Of the actions of the audit log, in words; what is new is shown as it is called. */
const DONE: Readonly<Record<string, string>> = {
  'team.create': 'made the team',
  'member.add': 'took somebody in',
  'member.change': 'changed a member',
  'member.remove': 'took somebody out',
  'key.create': 'made a key',
  'key.revoke': 'revoked a key',
  'project.create': 'shared a project',
  'project.remove': 'removed a project',
  'share.set': 'shared a project with',
  'share.remove': 'no longer shares a project with',
  'memory.forget': 'forgot',
  'memory.withdraw': 'took back',
  'hub.login': 'logged in to the hub',
  'hub.logout': 'logged out of the hub',
};

export function Members() {
  const here = useTeam();
  useTitle(here?.team ?? 'Team');
  const answer = useAnswer('GET /members', {}, { again: changes.use() });
  return (
    <Shown answer={answer} alone>
      {(told) => (
        <>
          <h1>{told.team}</h1>
          <p class="lead">
            {counted(told.members.length, 'member')}, {counted(told.projects.length, 'project')}. You are{' '}
            {here?.member.name}, {here?.member.role}.
          </p>
          <div class="stack">
            <People told={told} />
            <Projects told={told} />
            <Keys told={told} />
            {here?.member.role === 'owner' && <Audit told={told} />}
          </div>
        </>
      )}
    </Shown>
  );
}

function People({ told: { members } }: { readonly told: Told }) {
  return (
    <section class="panel" aria-labelledby="people">
      <h2 id="people">Members</h2>
      <div class="table-wrap" tabIndex={0} role="region" aria-labelledby="people">
        <table class="figures list">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Role</th>
              <th scope="col">Since</th>
            </tr>
          </thead>
          <tbody>
            {members.map(({ id, name, role, createdAt }) => (
              <tr key={id}>
                <th scope="row">{name}</th>
                <td>
                  {role} <span class="soft small">{ROLES[role]}</span>
                </td>
                <td class="soft">{ago(createdAt, new Date())}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Projects({ told }: { readonly told: Told }) {
  return (
    <section class="panel" aria-labelledby="shared">
      <h2 id="shared">Shared projects</h2>
      {told.projects.length === 0 && <p class="soft">None yet.</p>}
      <div class="table-wrap" tabIndex={0} role="region" aria-labelledby="shared">
        <table class="figures list">
          <thead>
            <tr>
              <th scope="col">Project</th>
              <th scope="col">Shared by</th>
              <th scope="col">With</th>
            </tr>
          </thead>
          <tbody>
            {told.projects.map(({ id, name, access, createdBy, shares }) => (
              <tr key={id}>
                <th scope="row">
                  {access === null ? (
                    <>
                      {name} <span class="badge">not shared with you</span>
                    </>
                  ) : (
                    <a href={to.project(id)}>{name}</a>
                  )}
                </th>
                <td>{createdBy}</td>
                <td>
                  <ul class="plain">
                    {shares.map((share) => (
                      <li key={share.member ?? 'everyone'}>
                        {share.member === null ? 'everyone' : nameOf(told, share.member)}
                        <span class="soft small"> {ACCESS[share.access]}</span>
                      </li>
                    ))}
                  </ul>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Keys({ told }: { readonly told: Told }) {
  const isAll = useTeam()?.member.role === 'owner';
  return (
    <section class="panel" aria-labelledby="keys">
      <h2 id="keys">{isAll ? 'Keys' : 'Your keys'}</h2>
      <div class="table-wrap" tabIndex={0} role="region" aria-labelledby="keys">
        <table class="figures list">
          <thead>
            <tr>
              <th scope="col">Key</th>
              {isAll && <th scope="col">Of</th>}
              <th scope="col">May</th>
              <th scope="col">Last used</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {told.keys.map((key) => (
              <tr key={key.id}>
                <th scope="row">
                  <code>{key.prefix}…</code> {key.name && <span class="soft small">{key.name}</span>}
                </th>
                {isAll && <td>{nameOf(told, key.member)}</td>}
                <td>{key.scopes.join(', ')}</td>
                <td>{key.lastUsedAt ? ago(key.lastUsedAt, new Date()) : 'never'}</td>
                <td>{stateOf(key)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function stateOf({ revokedAt, expiresAt }: Key): string {
  if (revokedAt !== undefined) return `revoked ${ago(revokedAt, new Date())}`;
  if (expiresAt === undefined) return 'good';
  return Date.parse(expiresAt) < Date.now()
    ? 'expired'
    : `good until ${expiresAt.slice(0, 'YYYY-MM-DD'.length)}`;
}

function Audit({ told }: { readonly told: Told }) {
  const [older, setOlder] = useState<readonly AuditList[]>([]);
  const [error, setError] = useState<ApiError>();
  const first = useAnswer('GET /audit', {}, { again: changes.use() });
  const more = (before: string) =>
    ask('GET /audit', { query: { before } }).then(
      (page) => setOlder([...older, page]),
      (failure: unknown) => setError(asApiError(failure)),
    );
  return (
    <section class="panel" aria-labelledby="audit">
      <h2 id="audit">What happened</h2>
      <Shown answer={first}>
        {(newest) => {
          const pages = [newest, ...older];
          const next = pages.at(-1)?.next ?? null;
          return (
            <>
              <ol class="audit">
                {pages
                  .flatMap(({ entries }) => entries)
                  .map((entry) => (
                    <Entry key={entry.id} told={told} entry={entry} />
                  ))}
              </ol>
              {error && <Trouble error={error} />}
              {next !== null && (
                <button type="button" class="more" onClick={() => void more(next)}>
                  Load more
                </button>
              )}
            </>
          );
        }}
      </Shown>
    </section>
  );
}

function Entry(props: { readonly told: Told; readonly entry: AuditList['entries'][number] }) {
  const { told, entry } = props;
  const { at, member, key, action } = entry;
  const about = aboutOf(told, entry);
  return (
    <li>
      <time dateTime={at}>{dateAndTime(at)}</time>
      <span>
        <b>{member === undefined ? 'The operator' : nameOf(told, member)}</b> {DONE[action] ?? action}
        {about !== '' && ` ${about}`}
        <span class="soft small">{key === undefined ? ' on the server' : ` with ${key}`}</span>
      </span>
    </li>
  );
}

/** Whom or what it was done to, as far as the log says. */
function aboutOf(told: Told, { action, object, detail }: AuditList['entries'][number]): string {
  const project = told.projects.find(({ id }) => id === object)?.name;
  const { name, with: whom, ids, count } = detail;
  if (action.startsWith('hub.') || action === 'team.create') return '';
  if (action.startsWith('share.') && typeof whom === 'string') {
    return `${whom === 'everyone' ? whom : nameOf(told, whom)}: ${project ?? object}`;
  }
  if (Array.isArray(ids))
    return `${counted(ids.length, 'memory', 'memories')}${project ? ` of ${project}` : ''}`;
  if (typeof count === 'number')
    return `${counted(count, 'memory', 'memories')}${project ? ` of ${project}` : ''}`;
  return typeof name === 'string' ? name : (project ?? nameOf(told, object));
}

/** Whoever is no longer in the team has no name here. */
function nameOf({ members }: Told, id: string): string {
  return members.find((member) => member.id === id)?.name ?? id.split('-')[0] ?? id;
}
