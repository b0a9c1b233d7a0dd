/**
 * A large team beside small ones, filled by SQL: projects of very different size, one with a single memory, and thousands
 * of members, keys, shares, visits, messages and audit entries. Texts are numbered words with a skewed frequency.
 */
import { randomUUID } from 'node:crypto';
import { Operator } from '../../src/server/admin/index.ts';
import {
  columnsOf,
  createTeam,
  ensureProject,
  TeamStore,
  type Caller,
} from '../../src/server/store/index.ts';
import { entryOf } from '../support/team.ts';
import { asSuperuser } from './_rows.ts';

export interface LargeTeam {
  readonly team: string;
  /** Reads every project. */
  readonly owner: Reader;
  /** Reads the three smallest projects. */
  readonly member: Reader;
  /** The largest first; the last one has one memory and belongs to an EverMem group. */
  readonly projects: readonly string[];
}

export interface Reader extends Caller {
  readonly key: string;
  /** How many projects they read. */
  readonly projects: number;
}

export const GROUP_OF_ONE = 'solo';
/** Halves of the memories: 100,000, 50,000, … 1, then many of the same small size. */
const HALVES = 17;
const SMALL_PROJECTS = 40;
const MEMBERS = 3000;
const SMALL_TEAMS = 40;
const SMALL_TEAM = 200;
const DAYS = 400;

export async function fillLargeTeam(database: string, memories: number): Promise<LargeTeam> {
  const store = await TeamStore.open({ database });
  try {
    const operator = new Operator(store);
    const caller = await createTeam(store, { name: 'Large', owner: 'Ada' });
    const scopes = ['read', 'write', 'admin'] as const;
    const { id } = await operator.addMember({ team: caller.team, name: 'Mia', role: 'member' });
    const keyOf = async (who: string) =>
      (await operator.createKey({ team: caller.team, who, scopes, name: 'plans' })).secret;
    const sizes = [
      ...Array.from({ length: HALVES }, (_, i) => Math.max(2, Math.floor(memories / 2 ** (i + 1)))),
      ...Array.from({ length: SMALL_PROJECTS }, () => 20),
      1,
    ];
    const projects: string[] = [];
    for (const i of sizes.keys()) {
      const key = i === sizes.length - 1 ? `evermem:${GROUP_OF_ONE}` : `git:large-${i}`;
      const wanted = { name: `large ${i}`, keys: [key] };
      projects.push((await store.transaction(caller, (work) => ensureProject(work, wanted))).id);
    }
    await asSuperuser(database, async (ask) => {
      await ask('SET work_mem = 262144');
      await ask('SET maintenance_work_mem = 262144');
      await people(ask, caller, projects, id);
      await withoutIndexes(ask, async () => {
        await memoriesOf(ask, caller.team, caller.member, projects, sizes);
        await smallTeams(ask);
        await followUps(ask, caller.team);
      });
      await ask('VACUUM (ANALYZE)');
    });
    return {
      team: caller.team,
      projects,
      owner: { ...caller, key: await keyOf(caller.member), projects: projects.length },
      member: { team: caller.team, member: id, key: await keyOf(id), projects: 3 },
    };
  } finally {
    await store.close();
  }
}

type Ask = (text: string, values?: unknown[]) => Promise<readonly Readonly<Record<string, unknown>>[]>;

async function people(
  ask: Ask,
  { team, member: owner }: Caller,
  projects: readonly string[],
  member: string,
): Promise<void> {
  await ask(
    `INSERT INTO tidemark.member (team_id, id, name, role)
     SELECT $1, gen_random_uuid(), 'Member ' || n, CASE WHEN n % 10 = 0 THEN 'reader' ELSE 'member' END
     FROM generate_series(1, ${MEMBERS}) AS n`,
    [team],
  );
  await ask(
    `INSERT INTO tidemark.api_key (team_id, id, member_id, prefix, hash, scopes, last_used_at)
     SELECT m.team_id, substr(md5(m.id::text), 1, 12), m.id, 'tmk_', sha256(m.id::text::bytea), '{read}', now()
     FROM tidemark.member m WHERE m.team_id = $1 AND m.name LIKE 'Member %'`,
    [team],
  );
  // Each member reads two projects besides those of everyone else.
  await ask(
    `INSERT INTO tidemark.share (team_id, project_id, member_id, access)
     SELECT $1, ($2::uuid[])[1 + (m.n + k) % cardinality($2)], m.id, 'write'
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM tidemark.member WHERE team_id = $1 AND name LIKE 'Member %') m,
       unnest(ARRAY[0, 1]) AS k`,
    [team, projects],
  );
  await ask(
    `INSERT INTO tidemark.share (team_id, project_id, member_id, access) SELECT $1, id, $2, 'write' FROM unnest($3::uuid[]) id`,
    [team, member, projects.slice(-3)],
  );
  await ask(
    `INSERT INTO tidemark.hub_visit (team_id, id, member_id, key_id, hash, until)
     SELECT team_id, id, member_id, id, hash, now() + interval '1 day' FROM tidemark.api_key WHERE team_id = $1`,
    [team],
  );
  await ask(
    `INSERT INTO tidemark.audit (team_id, id, member_id, action, object)
     SELECT $1, 1000 + n, $2, 'share.set', 'x' FROM generate_series(1, 20000) AS n`,
    [team, owner],
  );
}

/** Builds the indexes of the largest tables at the end, which takes a third of the time. */
async function withoutIndexes(ask: Ask, fill: () => Promise<void>): Promise<void> {
  const indexes =
    await ask(`SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS made
    FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid WHERE c.oid IS NULL
      AND i.indrelid = ANY (ARRAY['tidemark.memory', 'tidemark.change', 'tidemark.memory_vector', 'tidemark.project_term']::regclass[])`);
  for (const { name } of indexes) await ask(`DROP INDEX ${String(name)}`);
  await fill();
  // The definition of a partitioned index leaves its partitions out.
  for (const { made } of indexes) await ask(String(made).replace(' ON ONLY ', ' ON '));
}

/** `sizes`: of the projects. Every word, session and file belongs to the team. */
async function memoriesOf(
  ask: Ask,
  team: string,
  author: string,
  projects: readonly string[],
  sizes: readonly number[],
): Promise<void> {
  // Every lexeme begins with it, after a quote.
  const { tokens } = columnsOf({ team, project: '', author }, entryOf('word')).columns;
  const prefix = String(tokens).slice(1, 5);
  const words = Array.from(
    { length: 6 },
    (_, i) => `'''${prefix} w' || (random() ^ 3 * 4000)::int || ''':${i + 1}C'`,
  );
  await ask(
    `INSERT INTO tidemark.memory (team_id, project_id, id, kind, title, body, facts, concepts, files, state, at, agent,
       session, turn, messages, made_by, author_id, machine, clock, version_machine, content_hash, tokens, token_count)
     SELECT $1, p.id, '1' || substr(md5(p.id::text || n), 1, 13), kind, 'Title of ' || n, 'Body of ' || n, '{}', '{}',
       ARRAY['src/f' || n % 5000 || '.ts'],
       CASE WHEN kind = 'issue' THEN CASE WHEN n % 50 = 0 THEN 'open' ELSE 'resolved' END
         WHEN n % 9 = 0 THEN 'superseded' ELSE 'current' END,
       to_char(now() AT TIME ZONE 'UTC' - n * interval '${DAYS} days' / p.size, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
       CASE WHEN n % 20 = 0 THEN 'codex' WHEN n % 101 = 0 THEN 'invented-' || n ELSE 'claude-code' END,
       's' || p.place || '-' || n / 40, 't' || p.place || '-' || n, '{}', 'local', $2, 'laptop', 1, 'laptop', md5(n::text),
       concat_ws(' ', ${words.join(', ')}, '''${prefix}/f' || n % 5000 || '.ts''')::tsvector, 6
     FROM unnest($3::uuid[], $4::int[]) WITH ORDINALITY AS p (id, size, place), generate_series(1, p.size) AS n,
       LATERAL (SELECT (ARRAY['decision', 'bugfix', 'feature', 'discovery', 'issue', 'pattern', 'preference'])[1 + n % 7]) AS k (kind)`,
    [team, author, projects, sizes],
  );
}

async function smallTeams(ask: Ask): Promise<void> {
  for (let i = 0; i < SMALL_TEAMS; i++) {
    const [team, owner, project] = [randomUUID(), randomUUID(), randomUUID()];
    await ask('INSERT INTO tidemark.team (id, name) VALUES ($1, $2)', [team, `Small ${i}`]);
    await ask("INSERT INTO tidemark.member (team_id, id, name, role) VALUES ($1, $2, 'Cid', 'owner')", [
      team,
      owner,
    ]);
    await ask("INSERT INTO tidemark.project (team_id, id, name, created_by) VALUES ($1, $2, 'small', $3)", [
      team,
      project,
      owner,
    ]);
    await ask("INSERT INTO tidemark.share (team_id, project_id, access) VALUES ($1, $2, 'write')", [
      team,
      project,
    ]);
    await ask('INSERT INTO tidemark.project_counter (team_id, project_id) VALUES ($1, $2)', [team, project]);
    await memoriesOf(ask, team, owner, [project], [SMALL_TEAM]);
  }
}

/** Everything that a push writes besides the memory, and rows of earlier requests. */
async function followUps(ask: Ask, team: string): Promise<void> {
  await ask(`INSERT INTO tidemark.change (team_id, project_id, memory_id, seq, op, author_id)
    SELECT team_id, project_id, id, row_number() OVER (PARTITION BY project_id ORDER BY number), 'put', author_id
    FROM tidemark.memory`);
  await ask(`UPDATE tidemark.project_counter c SET seq = m.n, memories = m.n FROM (
    SELECT team_id, project_id, count(*) AS n FROM tidemark.memory GROUP BY 1, 2) m
    WHERE m.team_id = c.team_id AND m.project_id = c.project_id`);
  await ask(`INSERT INTO tidemark.project_term (team_id, term, project_id, rows)
    SELECT m.team_id, substr(lexeme, 6), m.project_id, count(*) FROM tidemark.memory m, unnest(m.tokens)
    WHERE substr(lexeme, 5, 1) = ' ' GROUP BY 1, 2, 3`);
  await ask(`INSERT INTO tidemark.memory_vector (team_id, number, project_id, model, content_hash, scale, codes, made_of)
    SELECT team_id, number, project_id, 'model', content_hash, 1, '\\x0011', 2 FROM tidemark.memory`);
  await ask(`INSERT INTO tidemark.push (team_id, project_id, member_id, key, answer)
    SELECT team_id, project_id, author_id, 'push-' || number, '{}' FROM tidemark.memory WHERE number % 10 = 0`);
  await ask(`INSERT INTO tidemark.tombstone (team_id, project_id, id, op, turn, hash, clock, version_machine, author_id)
    SELECT team_id, project_id, '0' || substr(id, 2), 'tombstone', turn, 'h', 1, 'laptop', author_id
    FROM tidemark.memory WHERE number % 10 = 1`);
  await ask(`INSERT INTO tidemark.memory_revision (team_id, project_id, id, clock, version_machine, author_id, entry)
    SELECT team_id, project_id, id, 0, 'laptop', author_id, '{"title":"t","body":"b","version":{"machine":"laptop"}}'
    FROM tidemark.memory WHERE number % 10 = 2`);
  await ask(
    `INSERT INTO tidemark.message (team_id, project_id, group_id, message_id, user_id, sender, role, content, create_time,
       member_id, request_id, state)
     SELECT team_id, project_id, 'g' || project_id, id, 'u', 'u', 'user', '', at, author_id, gen_random_uuid(), 'done'
     FROM tidemark.memory WHERE team_id = $1 AND number % 10 = 3`,
    [team],
  );
  await ask(
    `INSERT INTO tidemark.session_event (team_id, project_id, group_id, message_id, user_id, event, at, detail)
     SELECT team_id, project_id, 'g' || project_id, id, 'u', 'start', at, '{}'
     FROM tidemark.memory WHERE team_id = $1 AND number % 10 = 4`,
    [team],
  );
}
