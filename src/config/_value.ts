/** Parses a setting's value from JSON or text (flag, environment, command line). Returns the problem, never throws. */
import type { Setting, SettingValue } from './settings.ts';

export type ParsedValue =
  | { readonly ok: true; readonly value: SettingValue }
  | { readonly ok: false; readonly reason: string };

export function parseValue(setting: Setting, raw: unknown): ParsedValue {
  switch (setting.type) {
    case 'boolean':
      return typeof raw === 'boolean' ? valid(raw) : wrong('must be true or false');
    case 'integer':
      return Number.isInteger(raw) && (raw as number) >= setting.min && (raw as number) <= setting.max
        ? valid(raw as number)
        : wrong(`must be a whole number from ${setting.min} to ${setting.max}`);
    case 'text':
      return typeof raw === 'string' && setting.pattern.test(raw)
        ? valid(raw)
        : wrong(`must be ${setting.wanted}`);
    case 'choice':
      return typeof raw === 'string' && setting.choices.includes(raw)
        ? valid(raw)
        : wrong(`must be one of ${setting.choices.join(', ')}`);
    case 'list':
      if (!Array.isArray(raw) || !raw.every((item) => typeof item === 'string' && item !== ''))
        return wrong('must be a list of strings');
      return setting.pattern && !raw.every((item: string) => setting.pattern?.test(item))
        ? wrong(`must be a list of ${setting.wanted}`)
        : valid(raw as readonly string[]);
  }
}

/** Parses text by the setting's type: `true`, `30`, `a,b`. */
export function parseText(setting: Setting, text: string): ParsedValue {
  const trimmed = text.trim();
  switch (setting.type) {
    case 'boolean':
      return parseValue(setting, BOOLEAN_WORDS[trimmed.toLowerCase()]);
    case 'integer':
      return parseValue(setting, /^-?\d+$/.test(trimmed) ? Number(trimmed) : trimmed);
    case 'choice':
    case 'text':
      return parseValue(setting, trimmed);
    case 'list':
      return parseValue(
        setting,
        trimmed
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== ''),
      );
  }
}

const BOOLEAN_WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  1: true,
  yes: true,
  on: true,
  false: false,
  0: false,
  no: false,
  off: false,
};

function valid(value: SettingValue): ParsedValue {
  return { ok: true, value };
}

function wrong(reason: string): ParsedValue {
  return { ok: false, reason };
}
