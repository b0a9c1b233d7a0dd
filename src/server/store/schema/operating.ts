/**
 * For operators and team leads: what a database contains, what can be pruned, settings of a team, and members who leave.
 * Functions for the operator work outside of any team, so that a request, which is bound to one, cannot use them.
 */
import { BY_INDEX, DEFINER } from './_functions.ts';

/** Counts stop here, because a count of everything would read everything. */
export const COUNTED_UP_TO = 10_000;

/** Fails within a request. */
const ONLY_OUTSIDE = `
  IF tidemark.team() IS NOT NULL THEN
    RAISE insufficient_privilege USING MESSAGE = 'only for the operator, outside of a team';
  END IF;`;
const ONLY_OWNERS = `
  IF tidemark.my_role() IS DISTINCT FROM 'owner' THEN
    RAISE insufficient_privilege USING MESSAGE = 'only owners may do this';
  END IF;`;

/** Counts rows with an index, up to the limit. */
const some = (from: string): string =>
  `(SELECT count(*) FROM (SELECT FROM tidemark.${from} LIMIT ${COUNTED_UP_TO + 1}) AS counted)`;

/** Deletes the oldest rows, by the whole primary key, because row numbers are not unique across partitions. */
const deleted = (table: string, key: readonly string[], where: string, order: string): string => `
      DELETE FROM tidemark.${table} AS t USING (
        SELECT ${key.join(', ')} FROM tidemark.${table} WHERE ${where}
        ORDER BY ${order} LIMIT most) AS old
      WHERE ${key.map((column) => `t.${column} = old.${column}`).join(' AND ')};`;

/**
 * With `older` and `since`: memories that a period ends. The index by `at` is of no use (`|| ''`): it would read all imported
 * memories, which are old and changed lately.
 */
const AGED = "m.changed_at < older AND m.at || '' < since AND m.state <> 'open' AND m.kind <> 'preference'";

/** Entries of the audit log that a period ends. Who has access, and the periods themselves, are kept. */
const PASSING = "split_part(action, '.', 1) NOT IN ('team', 'member', 'key')";

export const OPERATING = `
-- Settings that an owner sets for the machines of all members, and periods after which the server forgets.
CREATE TABLE tidemark.team_setting (
  team_id uuid NOT NULL,
  key text COLLATE "C" NOT NULL,
  value jsonb NOT NULL,
  set_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (team_id, key)
);
ALTER TABLE tidemark.team_setting ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY read ON tidemark.team_setting FOR SELECT TO tidemark_app
  USING (team_id = tidemark.team() AND (SELECT tidemark.my_role()) IS NOT NULL);
CREATE POLICY make ON tidemark.team_setting FOR INSERT TO tidemark_app
  WITH CHECK (team_id = tidemark.team() AND tidemark.my_role() = 'owner');
CREATE POLICY change ON tidemark.team_setting FOR UPDATE TO tidemark_app
  USING (team_id = tidemark.team() AND tidemark.my_role() = 'owner');
CREATE POLICY remove ON tidemark.team_setting FOR DELETE TO tidemark_app
  USING (team_id = tidemark.team() AND tidemark.my_role() = 'owner');
CREATE POLICY lookup ON tidemark.team_setting FOR SELECT TO tidemark_lookup USING (true);

-- Pruning reads the oldest rows first.
ALTER TABLE tidemark.session_event ADD COLUMN received_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX push_at ON tidemark.push (at);
CREATE INDEX message_done ON tidemark.message (received_at) WHERE state = 'done';
CREATE INDEX session_event_received ON tidemark.session_event (received_at);
CREATE INDEX hub_link_until ON tidemark.hub_link (until);
CREATE INDEX hub_visit_until ON tidemark.hub_visit (until);
CREATE INDEX memory_revision_kept ON tidemark.memory_revision (team_id, kept_at);
CREATE INDEX memory_revision_author ON tidemark.memory_revision (team_id, author_id, project_id);
CREATE INDEX audit_at ON tidemark.audit (team_id, at) WHERE ${PASSING};
CREATE INDEX memory_aged ON tidemark.memory (team_id, project_id, changed_at)
  WHERE state <> 'open' AND kind <> 'preference';
-- What is erased with a member.
CREATE INDEX message_undone ON tidemark.message (team_id, member_id, project_id) WHERE state <> 'done';

CREATE POLICY lookup ON tidemark.project FOR SELECT TO tidemark_lookup USING (true);
CREATE POLICY lookup_change ON tidemark.project FOR UPDATE TO tidemark_lookup USING (true);
CREATE POLICY lookup ON tidemark.project_counter FOR SELECT TO tidemark_lookup USING (true);
CREATE POLICY lookup ON tidemark.unembedded FOR SELECT TO tidemark_lookup USING (true);
DO $$
DECLARE named text;
BEGIN
  FOREACH named IN ARRAY ARRAY['push', 'session_event', 'memory_revision'] LOOP
    EXECUTE format('CREATE POLICY lookup ON tidemark.%I FOR SELECT TO tidemark_lookup USING (true)', named);
  END LOOP;
  FOREACH named IN ARRAY ARRAY['push', 'message', 'session_event', 'hub_link', 'hub_visit', 'memory_revision', 'audit'] LOOP
    EXECUTE format('CREATE POLICY lookup_remove ON tidemark.%I FOR DELETE TO tidemark_lookup USING (true)', named);
  END LOOP;
END $$;

-- Rows that pruning would delete now, and the queues. Contains nothing of a team.
CREATE FUNCTION tidemark.upkeep(kept_since timestamptz) RETURNS jsonb LANGUAGE plpgsql STABLE ${DEFINER} ${BY_INDEX} AS $$
BEGIN${ONLY_OUTSIDE}
  RETURN jsonb_build_object(
    'push', ${some('push WHERE at < kept_since')},
    'message', ${some("message WHERE state = 'done' AND received_at < kept_since")},
    'session_event', ${some('session_event WHERE received_at < kept_since')},
    'hub_link', ${some('hub_link WHERE until < now()')},
    'hub_visit', ${some('hub_visit WHERE until < now()')},
    'unembedded', ${some('unembedded')},
    'queued', ${some("message WHERE state = 'queued'")});
END $$;

-- Deletes at most this many rows of one kind and returns how many; nothing while another server prunes. Rows of the last
-- day stay in any case: a client may still repeat their request.
CREATE FUNCTION tidemark.prune(kind text, of_team uuid, older timestamptz, most integer) RETURNS bigint
  LANGUAGE plpgsql ${DEFINER} ${BY_INDEX} AS $$
DECLARE
  gone bigint;
  before timestamptz := least(older, now() - interval '1 day');
BEGIN${ONLY_OUTSIDE}
  IF NOT pg_try_advisory_xact_lock(hashtextextended('pruning of tidemark', 0)) THEN
    RETURN 0;
  END IF;
  CASE kind
    WHEN 'push' THEN${deleted('push', ['team_id', 'project_id', 'member_id', 'key'], 'at < before', 'at')}
    WHEN 'message' THEN${deleted('message', ['team_id', 'number'], "state = 'done' AND received_at < before", 'received_at')}
    WHEN 'session_event' THEN${deleted('session_event', ['team_id', 'number'], 'received_at < before', 'received_at')}
    WHEN 'hub_link' THEN${deleted('hub_link', ['team_id', 'id'], 'until < now()', 'until')}
    WHEN 'hub_visit' THEN${deleted('hub_visit', ['team_id', 'id'], 'until < now()', 'until')}
    WHEN 'revision' THEN${deleted(
      'memory_revision',
      ['team_id', 'project_id', 'id', 'clock', 'version_machine'],
      'team_id = of_team AND kept_at < before',
      'kept_at',
    )}
    -- The newest entry stays: the next one is numbered after it.
    WHEN 'audit' THEN${deleted(
      'audit',
      ['team_id', 'id'],
      `team_id = of_team AND at < before AND ${PASSING}
          AND id < (SELECT max(a.id) FROM tidemark.audit a WHERE a.team_id = of_team)`,
      'at',
    )}
  END CASE;
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;

-- The periods that teams have set.
CREATE FUNCTION tidemark.retentions() RETURNS TABLE (team_id uuid, key text, value jsonb)
  LANGUAGE plpgsql STABLE ${DEFINER} AS $$
#variable_conflict use_column
BEGIN${ONLY_OUTSIDE}
  RETURN QUERY SELECT s.team_id, s.key, s.value FROM tidemark.team_setting s WHERE s.key LIKE 'retention.%';
END $$;

-- The database in figures, for the operator.
CREATE FUNCTION tidemark.overview(most_teams integer, expiring interval, unused interval) RETURNS jsonb
  LANGUAGE plpgsql STABLE ${DEFINER} AS $$
BEGIN${ONLY_OUTSIDE}
  RETURN (SELECT jsonb_build_object(
    'teams', (SELECT count(*) FROM tidemark.team),
    'members', (SELECT jsonb_build_object('current', count(*) FILTER (WHERE removed_at IS NULL),
      'removed', count(*) FILTER (WHERE removed_at IS NOT NULL)) FROM tidemark.member),
    'keys', (SELECT jsonb_build_object(
        'active', count(*) FILTER (WHERE valid),
        'expiring', count(*) FILTER (WHERE valid AND k.expires_at < now() + expiring),
        'unused', count(*) FILTER (WHERE valid AND coalesce(k.last_used_at, k.created_at) < now() - unused),
        'revoked', count(*) FILTER (WHERE k.revoked_at IS NOT NULL),
        'expired', count(*) FILTER (WHERE k.revoked_at IS NULL AND k.expires_at <= now()))
      FROM tidemark.api_key k, LATERAL (
        SELECT k.revoked_at IS NULL AND coalesce(k.expires_at > now(), true) AS valid) AS state),
    'projects', (SELECT count(*) FROM tidemark.project),
    'memories', (SELECT coalesce(sum(memories), 0) FROM tidemark.project_counter),
    'largest', (SELECT coalesce(jsonb_agg(to_jsonb(one) ORDER BY one.memories DESC, one.name), '[]') FROM (
        SELECT t.id, t.name, coalesce(c.memories, 0) AS memories, coalesce(c.projects, 0) AS projects,
          (SELECT count(*) FROM tidemark.member m WHERE m.team_id = t.id AND m.removed_at IS NULL) AS members
        FROM tidemark.team t LEFT JOIN (
          SELECT team_id, sum(memories) AS memories, count(*) AS projects FROM tidemark.project_counter GROUP BY team_id
        ) AS c ON c.team_id = t.id
        ORDER BY coalesce(c.memories, 0) DESC, t.name LIMIT most_teams) AS one),
    'failed', ${some("message WHERE state = 'failed'")},
    'oldest', (SELECT min(received_at) FROM (
        SELECT received_at FROM tidemark.message WHERE state = 'queued' ORDER BY team_id, number LIMIT ${COUNTED_UP_TO}) AS q),
    'pushes', (SELECT coalesce(jsonb_agg(to_jsonb(last) ORDER BY last.at DESC), '[]') FROM (
        SELECT p.at, t.name AS team, m.name AS member, j.name AS project FROM (
          SELECT * FROM tidemark.push ORDER BY at DESC LIMIT 5) AS p
        JOIN tidemark.team t ON t.id = p.team_id
        LEFT JOIN tidemark.member m ON m.team_id = p.team_id AND m.id = p.member_id
        LEFT JOIN tidemark.project j ON j.team_id = p.team_id AND j.id = p.project_id) AS last)));
END $$;

-- What a member has, also in projects that the owner cannot read: numbers, never a text.
CREATE FUNCTION tidemark.holdings(of_member uuid) RETURNS jsonb LANGUAGE plpgsql STABLE ${DEFINER} ${BY_INDEX} AS $$
DECLARE ours uuid := tidemark.team();
BEGIN${ONLY_OWNERS}
  RETURN (SELECT jsonb_build_object(
    'visits', (SELECT count(*) FROM tidemark.hub_visit v WHERE v.team_id = ours AND v.member_id = of_member AND v.until > now()),
    'messages', (SELECT count(*) FROM tidemark.message m
      WHERE m.team_id = ours AND m.member_id = of_member AND m.state = 'queued'),
    'projects', (SELECT coalesce(jsonb_agg(to_jsonb(one) ORDER BY one.memories DESC, one.name), '[]') FROM (
      SELECT p.id, p.name, p.created_by = of_member AS created,
        EXISTS (SELECT FROM tidemark.share s WHERE s.team_id = ours AND s.project_id = p.id AND s.member_id = of_member) AS shared,
        NOT EXISTS (SELECT FROM tidemark.share s
          LEFT JOIN tidemark.member w ON w.team_id = ours AND w.id = s.member_id
          WHERE s.team_id = ours AND s.project_id = p.id AND s.member_id IS DISTINCT FROM of_member
            AND (s.member_id IS NULL OR w.removed_at IS NULL)) AS alone,
        coalesce((SELECT a.memories FROM tidemark.project_author a
          WHERE a.team_id = ours AND a.project_id = p.id AND a.author_id = of_member), 0) AS memories,
        (SELECT count(*) FROM tidemark.memory_revision r
          WHERE r.team_id = ours AND r.project_id = p.id AND r.author_id = of_member) AS revisions,
        (SELECT count(*) FROM tidemark.message m
          WHERE m.team_id = ours AND m.member_id = of_member AND m.project_id = p.id AND m.state <> 'done') AS messages
      FROM tidemark.project p WHERE p.team_id = ours) AS one
      WHERE one.created OR one.shared OR one.memories > 0 OR one.revisions > 0 OR one.messages > 0),
    'machines', (SELECT coalesce(jsonb_agg(to_jsonb(one) ORDER BY one.last DESC), '[]') FROM (
      SELECT seen.machine AS name, count(*) AS memories, max(seen.at) AS last FROM (
        SELECT m.machine, m.at FROM tidemark.project p
        JOIN tidemark.project_author a ON a.team_id = ours AND a.project_id = p.id AND a.author_id = of_member
          AND a.memories > 0
        CROSS JOIN LATERAL (SELECT o.machine, o.at FROM tidemark.memory o
          WHERE o.team_id = ours AND o.project_id = p.id AND o.author_id = of_member OFFSET 0) AS m
        WHERE p.team_id = ours
        LIMIT ${COUNTED_UP_TO}) AS seen
      GROUP BY seen.machine) AS one)));
END $$;

-- The projects with memories that are older, how many up to a limit. Preferences are in force until they are replaced and
-- open entries until they are resolved, so no period ends them.
CREATE FUNCTION tidemark.aged(older timestamptz, most integer) RETURNS TABLE (project_id uuid, name text, memories bigint)
  LANGUAGE plpgsql STABLE ${DEFINER} ${BY_INDEX} AS $$
#variable_conflict use_column
DECLARE
  ours uuid := tidemark.team();
  since text := to_char(older AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
BEGIN${ONLY_OWNERS}
  RETURN QUERY SELECT p.id, p.name, c.memories FROM tidemark.project p CROSS JOIN LATERAL (
    SELECT count(*) AS memories FROM (SELECT FROM tidemark.memory m
      WHERE m.team_id = ours AND m.project_id = p.id AND ${AGED}
      ORDER BY m.changed_at LIMIT most) AS old) AS c
  WHERE p.team_id = ours AND c.memories > 0 ORDER BY c.memories DESC, p.name;
END $$;

-- Makes another member the creator of a member's projects. Their memories keep their author.
CREATE FUNCTION tidemark.hand_over(of_member uuid, to_member uuid) RETURNS bigint LANGUAGE plpgsql ${DEFINER} AS $$
DECLARE gone bigint;
BEGIN${ONLY_OWNERS}
  UPDATE tidemark.project SET created_by = to_member
  WHERE team_id = tidemark.team() AND created_by = of_member AND EXISTS (SELECT FROM tidemark.member m
    WHERE m.team_id = tidemark.team() AND m.id = to_member AND m.removed_at IS NULL AND m.role <> 'reader');
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END $$;
`;
