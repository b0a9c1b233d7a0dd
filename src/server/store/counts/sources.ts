/**
 * The sorted lists that a listing merges: one per project, or one per project, kind, state and agent where the listing asks
 * for these. Each is a range of an index, so that a rare kind in a large project costs as little as a common one. Pure.
 */
import type { MemoryFilter } from '../../../database/index.ts';
import { COUNTED_AGENT } from './counted.ts';
import { projectIds, several } from '../search/filters.ts';

export interface Sources {
  /** SQL that returns the sources. */
  readonly select: string;
  /** SQL condition: the memory `m` belongs to the source `s`. */
  readonly match: string;
}

const OF_PROJECT = 'm.team_id = $1 AND m.project_id = s.project_id';

/** `$1` is the team; adds further parameters to `values`. */
export function sourcesOf({ project, kind, state, agent }: MemoryFilter, values: unknown[]): Sources {
  const projects = projectsIn(project, values);
  const columns = Object.entries({ kind, state, agent }).filter(([, wanted]) => wanted !== undefined);
  if (columns.length === 0)
    return { select: `SELECT p.id AS project_id FROM ${projects}`, match: OF_PROJECT };
  const facets = columns.map(
    ([name, wanted]) => ` AND f.${name} = ANY ($${values.push(several(wanted ?? []))})`,
  );
  return {
    // OFFSET 0: looks the facets of each project up, instead of reading those of the whole team.
    select: `SELECT f.* FROM ${projects} CROSS JOIN LATERAL (
        SELECT f.project_id, f.kind, f.state, f.agent FROM tidemark.project_facet f
        WHERE f.team_id = $1 AND f.project_id = p.id AND f.memories > 0${facets.join('')} OFFSET 0) AS f`,
    match: `${OF_PROJECT} AND m.kind = s.kind AND m.state = s.state AND ${COUNTED_AGENT('m.agent')} = s.agent`,
  };
}

/** SQL for the projects `p (id)` of a filter, or all that the caller may read. */
export function projectsIn(project: MemoryFilter['project'], values: unknown[]): string {
  const ids = project === undefined ? 'tidemark.readable()' : `$${values.push(projectIds(project))}::uuid[]`;
  return `unnest(${ids}) AS p (id)`;
}
