/**
 * The part of JSON Schema that our tools use. One description serves the model, the types and the validation. Pure.
 */

export type Property = { readonly description: string } & (
  | { readonly type: 'string'; readonly enum?: readonly string[]; readonly maxLength?: number }
  | {
      readonly type: 'integer';
      readonly minimum: number;
      readonly maximum: number;
      readonly default?: number;
    }
  | { readonly type: 'boolean' }
  | { readonly type: 'array'; readonly items: { readonly type: 'string' }; readonly maxItems: number }
  | { readonly type: 'object' }
);

export interface InputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Property>>;
  readonly required: readonly string[];
  readonly additionalProperties: false;
}

type ValueOf<P> = P extends { readonly enum: readonly (infer E)[] }
  ? E
  : P extends { readonly type: 'string' }
    ? string
    : P extends { readonly type: 'integer' }
      ? number
      : P extends { readonly type: 'boolean' }
        ? boolean
        : P extends { readonly type: 'object' }
          ? Readonly<Record<string, unknown>>
          : readonly string[];

/** The arguments that a tool gets after validation. */
export type ArgumentsOf<P extends InputSchema['properties'], Required> = {
  readonly [K in keyof P as K extends Required ? K : never]: ValueOf<P[K]>;
} & {
  readonly [K in keyof P as K extends Required ? never : K]?: ValueOf<P[K]>;
};

export type Checked =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string };

/** Long enough for any question or note of a user. */
const LONGEST_TEXT = 10_000;

/** Validates arguments. Accepts harmless mistakes of models: a number as text, one text instead of a list. */
export function checkArguments(schema: InputSchema, given: unknown): Checked {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { ok: false, problem: 'the arguments must be an object' };
  const value: Record<string, unknown> = {};
  for (const [name, raw] of Object.entries(given)) {
    if (raw === null || raw === undefined) continue;
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (!property)
      return {
        ok: false,
        problem: `there is no argument "${name}"; known: ${Object.keys(schema.properties).join(', ') || 'none'}`,
      };
    const found = valueFor(property, raw);
    if (found === undefined) return { ok: false, problem: `"${name}" must be ${describe(property)}` };
    value[name] = found;
  }
  const missing = schema.required.filter((name) => value[name] === undefined || value[name] === '');
  if (missing.length > 0) return { ok: false, problem: `"${missing.join('", "')}" is required` };
  return { ok: true, value };
}

function valueFor(property: Property, raw: unknown): unknown {
  switch (property.type) {
    case 'string': {
      if (typeof raw !== 'string' || raw.length > (property.maxLength ?? LONGEST_TEXT)) return undefined;
      return property.enum && !property.enum.includes(raw) ? undefined : raw.trim();
    }
    case 'integer': {
      const number = typeof raw === 'string' && /^\d+$/.test(raw) ? Number(raw) : raw;
      const fits =
        Number.isInteger(number) &&
        (number as number) >= property.minimum &&
        (number as number) <= property.maximum;
      return fits ? number : undefined;
    }
    case 'boolean':
      return typeof raw === 'boolean' ? raw : undefined;
    case 'object':
      return typeof raw === 'object' && !Array.isArray(raw) ? raw : undefined;
    case 'array': {
      const list: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
      const fits =
        list.length > 0 &&
        list.length <= property.maxItems &&
        list.every((item) => typeof item === 'string' && item !== '' && item.length <= LONGEST_TEXT);
      return fits ? list : undefined;
    }
  }
}

function describe(property: Property): string {
  switch (property.type) {
    case 'string':
      return property.enum
        ? `one of ${property.enum.join(', ')}`
        : `a text of at most ${property.maxLength ?? LONGEST_TEXT} characters`;
    case 'integer':
      return `a whole number from ${property.minimum} to ${property.maximum}`;
    case 'boolean':
      return 'true or false';
    case 'object':
      return 'an object';
    case 'array':
      return `a list of 1 to ${property.maxItems} texts`;
  }
}
