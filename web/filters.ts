/** The filters of a search as they stand in its words: `kind:decision project:"two words" tokens`. Pure. */

export type FilterName = 'kind' | 'project' | 'since' | 'until' | 'file' | 'session';

/** The value of a filter, or nothing. */
export function filterIn(query: string, name: FilterName): string {
  const [, quoted, bare] = patternOf(name).exec(query) ?? [];
  return quoted ?? bare ?? '';
}

/** The same question with the filter set; an empty value takes it out. */
export function withFilter(query: string, name: FilterName, value: string): string {
  const rest = query.replace(patternOf(name), ' ').replace(/\s+/g, ' ').trim();
  const wanted = value.trim().replaceAll('"', '');
  if (wanted === '') return rest;
  return `${name}:${/\s/.test(wanted) ? `"${wanted}"` : wanted} ${rest}`.trim();
}

function patternOf(name: FilterName): RegExp {
  return new RegExp(`(?<![\\w/])${name}:(?:"([^"]*)"|(\\S+))`, 'i');
}
