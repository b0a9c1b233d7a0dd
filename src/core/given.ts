/**
 * Returns only the fields that have a value, so that an optional field is left out instead of being undefined:
 * `{ id, ...given({ branch, head }) }`. `exactOptionalPropertyTypes` keeps the two apart, because a spread of
 * `{ branch: undefined }` would erase a known branch.
 */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Only keys of T with a value are left, which is what the return type says.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
