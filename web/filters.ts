/** Filters inside a search text: `kind:decision project:"two words" tokens`. Pure. */

export type FilterName = 'kind' | 'agent' | 'project' | 'since' | 'until' | 'file' | 'session';

/** Returns the value of a filter, or an empty text. */
export function filterIn(query: string, name: FilterName): string {
  const [, quoted, bare] = patternOf(name).exec(query) ?? [];
  return quoted ?? bare ?? '';
}

/** Sets a filter in the text; an empty value removes it. */
export function withFilter(query: string, name: FilterName, value: string): string {
  const rest = query.replace(patternOf(name), ' ').replace(/\s+/g, ' ').trim();
  const plain = value.trim().replaceAll('"', '');
  if (plain === '') return rest;
  return `${name}:${/\s/.test(plain) ? `"${plain}"` : plain} ${rest}`.trim();
}

function patternOf(name: FilterName): RegExp {
  return new RegExp(`(?<![\\w/])${name}:(?:"([^"]*)"|(\\S+))`, 'i');
}
