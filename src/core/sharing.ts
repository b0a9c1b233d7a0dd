/** Words about sharing that several programs compare. */

/** Why an entry stays on this machine that the user held back; other reasons name a person. */
export const HELD_BY_USER = 'held back by you';
