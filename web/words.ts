/** Formats numbers and amounts for the page. Pure. */

/** `1 memory`, `2,000 memories` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

export function average(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}

/** `12.4 MB` */
export function size(bytes: number): string {
  if (bytes < 1024 * 1024) return `${Math.ceil(bytes / 1024).toLocaleString('en')} KB`;
  const mb = bytes / 1024 ** 2;
  return mb < 1024 ? `${mb.toFixed(mb < 10 ? 1 : 0)} MB` : `${(mb / 1024).toFixed(1)} GB`;
}

export function percent(share: number): string {
  return `${Math.round(Math.min(1, share) * 100)} %`;
}

/** `Ada, Ben and 3 others` */
export function namesOf(names: readonly string[]): string {
  if (names.length === 0) return 'no one yet';
  const [first = '', second, third, ...rest] = names;
  if (third === undefined) return second === undefined ? first : `${first} and ${second}`;
  return `${first}, ${second} and ${rest.length === 0 ? third : `${rest.length + 1} others`}`;
}
