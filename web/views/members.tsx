/** The team view of a team server: members, shared projects, keys, and for owners the audit log. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { AuditList, Members as TeamMembers } from '../../src/http/index.ts';
import { ask, asApiError, type ApiError } from '../api.ts';
import { useTeam } from '../here.ts';
import { changes } from '../live.ts';
import { Shown, ErrorNotice } from '../parts/notice.tsx';
import { useTitle } from '../parts/use-title.ts';
import { to } from '../route.ts';
import { ago, dateAndTime } from '../time.ts';
import { useAnswer } from '../use-answer.ts';
import { counted } from '../words.ts';

type Key = TeamMembers['keys'][number];

const ROLES = {
  owner: 'manages members, keys and shares',
  member: 'shares and edits',
  reader: 'reads',
} as const;
const ACCESS = { write: 'read and write', read: 'read' } as const;

export function Members() {
  const here = useTeam();
  useTitle(here?.team ?? 'Team');
  const answer = useAnswer('GET /members', {}, { again: changes.use() });
  return (
    <Shown answer={answer} alone>
      {(team) => (
        <>
          <h1>{team.team}</h1>
          <p class="lead">
            {counted(team.members.length, 'member')}, {counted(team.projects.length, 'project')}. You are{' '}
            {here?.member.name}, {here?.member.role}.
          </p>
          <div class="stack members">
            <People team={team} />
            <Projects team={team} />
            <Keys team={team} />
            {here?.member.role === 'owner' && <Audit team={team} />}
          </div>
        </>
      )}
    </Shown>
  );
}

function People({ team: { members } }: { readonly team: TeamMembers }) {
  return (
    <Panel id="people" title="Members" columns={['Name', 'Role', 'Since']}>
      {members.map(({ id, name, role, createdAt }) => (
        <tr key={id}>
          <th scope="row">{name}</th>
          <td>
            {role} <span class="soft small">{ROLES[role]}</span>
          </td>
          <td class="soft">{ago(createdAt, new Date())}</td>
        </tr>
      ))}
    </Panel>
  );
}

function Projects({ team }: { readonly team: TeamMembers }) {
  return (
    <Panel id="shared" title="Shared projects" columns={['Project', 'Shared by', 'With']}>
      {team.projects.map(({ id, name, access, createdBy, shares }) => (
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
            <ul class="shares">
              {shares.map((share) => (
                <li key={share.member ?? 'everyone'}>
                  {share.member === null ? 'everyone' : nameOf(team, share.member)}
                  <span class="soft small"> {ACCESS[share.access]}</span>
                </li>
              ))}
            </ul>
          </td>
        </tr>
      ))}
    </Panel>
  );
}

function Keys({ team }: { readonly team: TeamMembers }) {
  const isAll = useTeam()?.member.role === 'owner';
  const columns = ['Key', ...(isAll ? ['Member'] : []), 'Scopes', 'Last used', 'State'];
  return (
    <Panel id="keys" title={isAll ? 'Keys' : 'Your keys'} columns={columns}>
      {team.keys.map((key) => (
        <tr key={key.id}>
          <th scope="row">
            <code>{key.prefix}…</code> {key.name && <span class="soft small">{key.name}</span>}
          </th>
          {isAll && <td>{nameOf(team, key.member)}</td>}
          <td>{key.scopes.join(', ')}</td>
          <td>{key.lastUsedAt ? ago(key.lastUsedAt, new Date()) : 'never'}</td>
          <td>{stateOf(key)}</td>
        </tr>
      ))}
    </Panel>
  );
}

/** A table that scrolls on its own where it is too wide, also by keyboard. */
function Panel(props: {
  readonly id: string;
  readonly title: string;
  readonly columns: readonly string[];
  readonly children: readonly JSX.Element[];
}) {
  const { id, title, columns, children } = props;
  return (
    <section class="panel">
      <header>
        <h2 id={id}>{title}</h2>
      </header>
      {children.length === 0 ? (
        <p class="soft">None yet.</p>
      ) : (
        <div class="table-wrap" tabIndex={0} role="region" aria-labelledby={id}>
          <table class="figures list">
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>{children}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function stateOf({ revokedAt, expiresAt }: Key): string {
  if (revokedAt !== undefined) return `revoked ${ago(revokedAt, new Date())}`;
  if (expiresAt === undefined) return 'valid';
  return Date.parse(expiresAt) < Date.now()
    ? 'expired'
    : `valid until ${expiresAt.slice(0, 'YYYY-MM-DD'.length)}`;
}

function Audit({ team }: { readonly team: TeamMembers }) {
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
      <header>
        <h2 id="audit">Audit log</h2>
      </header>
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
                    <Entry key={entry.id} team={team} entry={entry} />
                  ))}
              </ol>
              {error && <ErrorNotice error={error} />}
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

function Entry(props: { readonly team: TeamMembers; readonly entry: AuditList['entries'][number] }) {
  const { team, entry } = props;
  const { at, member, key } = entry;
  return (
    <li>
      <time dateTime={at}>{dateAndTime(at)}</time>
      <span>
        <b>{member === undefined ? 'The operator' : nameOf(team, member)}</b> {describe(team, entry)}{' '}
        <span class="soft small">{key === undefined ? 'on the server' : `with key ${key}`}</span>
      </span>
    </li>
  );
}

/** Describes an entry of the log in words. An unknown action is shown by its name. */
function describe(team: TeamMembers, { action, object, detail }: AuditList['entries'][number]): string {
  const project = team.projects.find(({ id }) => id === object)?.name ?? 'a project';
  const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const whom = text(detail['with']) ?? '';
  const others = whom === 'everyone' ? whom : nameOf(team, whom);
  const some = Array.isArray(detail['ids']) ? detail['ids'].length : Number(detail['count'] ?? 0);
  const memories = `${counted(some, 'memory', 'memories')} of ${project}`;
  const named = text(detail['name']);
  switch (action) {
    case 'team.create':
      return 'created the team';
    case 'member.add':
      return `added ${named ?? nameOf(team, object)}`;
    case 'member.change':
      return `made ${nameOf(team, object)} ${text(detail['role']) ?? 'a different role'}`;
    case 'member.remove':
      return `removed ${nameOf(team, object)}`;
    case 'key.create':
      return `created key ${object} for ${nameOf(team, text(detail['member']) ?? '')}`;
    case 'key.revoke':
      return `revoked key ${object}`;
    case 'project.create':
      return `shared ${named ?? project}`;
    case 'project.remove':
      return `removed ${named ?? 'a project'}`;
    case 'share.set':
      return `shared ${project} with ${others}`;
    case 'share.remove':
      return `stopped sharing ${project} with ${others}`;
    case 'memory.forget':
      return `forgot ${memories}`;
    case 'memory.withdraw':
      return `withdrew ${memories}`;
    case 'hub.login':
      return 'logged in to the hub';
    case 'hub.logout':
      return 'logged out of the hub';
    default:
      return `${action} ${object}`;
  }
}

function nameOf({ members, former }: TeamMembers, id: string): string {
  const member = members.find((one) => one.id === id) ?? former.find((one) => one.id === id);
  return member?.name ?? id.split('-')[0] ?? id;
}
