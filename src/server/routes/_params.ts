/** Schemas of the ids in route paths. A malformed id is refused before any statement runs. */
import * as v from 'valibot';

const uuid = v.pipe(v.string(), v.uuid());

export const ProjectParam = v.object({ project: uuid });
export const MemberParam = v.object({ member: uuid });
/** `everyone` means all current and future members of the team. */
export const ShareParam = v.object({
  project: uuid,
  member: v.pipe(
    v.union([v.literal('everyone'), uuid]),
    v.transform((member) => (member === 'everyone' ? null : member)),
  ),
});
export const KeyParam = v.object({
  key: v.pipe(v.string(), v.regex(/^[a-z0-9]{1,64}$/, 'not a key id')),
});
