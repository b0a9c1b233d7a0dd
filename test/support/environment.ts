/** Sets environment variables for the tests of a file, or for one test. Those given as undefined are removed. */
import { after } from 'node:test';

export function setEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  afterTests: (restore: () => void) => void = after,
): void {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  apply(variables);
  afterTests(() => apply(before));
}

function apply(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
