/** What stands in the addresses of routes. An id that is none gets no further. */
import * as v from 'valibot';

const uuid = v.pipe(v.string(), v.uuid());

export const ProjectParam = v.object({ project: uuid });
export const MemberParam = v.object({ member: uuid });
/** `everyone`: all members of the team, also those still to come. */
export const ShareParam = v.object({
  project: uuid,
  member: v.pipe(
    v.union([v.literal('everyone'), uuid]),
    v.transform((member) => (member === 'everyone' ? null : member)),
  ),
});
export const KeyParam = v.object({
  key: v.pipe(v.string(), v.regex(/^[a-z0-9]{1,64}$/, 'not an id of a key')),
});
