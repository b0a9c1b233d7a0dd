/**
 * `node scripts/language.mjs [path …]`: flags phrases that read like a translation in comments, strings and documents.
 * Part of `npm run check`. Rewrite the sentence it names; do not swap the word. Reads only.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { isMain, root as ownRoot } from './_setup.mjs';

/** Each phrase with what to write instead. */
const PHRASES = [
  [/\banew\b/i, 'again, newly'],
  [/\bsomebody\b/i, 'the user, someone'],
  [/\bwhoever\b/i, 'anyone who, the caller'],
  [/\b(?:comes?|came|coming) upon\b/i, 'find'],
  [/\bstand(?:s|ing)? (?:in|there|about|beside|written)\b/i, 'is shown, is listed, exists'],
  [/\b(?:is|are|was|were|be) told\b/i, 'is injected, is shown, gets'],
  [/\bholds? instead\b/i, 'replaces'],
  [/\ba yes\b|\bsa(?:y|ys|id) yes\b/i, 'consent, confirm'],
  [/\b(?:gives?|gave|given|giving) way\b/i, 'is replaced by'],
  [/\bbears? on\b/i, 'is relevant to'],
  [/\bnobody but\b/i, 'only'],
  [/\blies? (?:at|in|beside|there|under)\b/i, 'is stored in, exists'],
  [/\b(?:heal|mend)(?:s|ed|ing)?\b/i, 'repair, fix, rebuild'],
  [/\bput(?:s|ting)? right\b/i, 'fix'],
  [/\bput before (?:an?|the) agents?\b/i, 'inject'],
  [/\bone's own\b/i, 'the user’s, your'],
  [/\bfor ever\b/i, 'forever'],
  [/\bmade of first\b/i, 'name what it is'],
  [/\bwhat holds\b/i, 'what is current'],
  [/\b(?:what|who|nothing) waits\b/i, 'waiting entries, nothing to review, the rest of the queue'],
  [/\bremembered of\b/i, 'remembered about; turns without memories'],
  [/\bdigested\b/i, 'processed'],
  [/\blooks? after (?:it|them)\b/i, 'manage'],
  [/\bas the system\b/i, 'same as system'],
  [/\bno time I know\b|\bby what shall\b/i, 'say what was not understood, then what to type'],
  [/\bgives? (?:an?|the) \w+ whole\b/i, 'shows an entry in full'],
  [/\bmoved on since\b/i, 'changed since'],
  [/(?:,| not) as set\b/i, 'name the setting'],
  [/\bis none of\b/i, 'is not one of'],
  [/\bexclude each other\b/i, 'use only one of'],
  [/\b(?:back|at) home\b/i, 'in the data folder'],
  [/\b(?:one|a) step of yours\b/i, 'one step is left for you'],
  [/\bare of one version\b/i, 'have the same version'],
  [/\btakes? (?:it|them) in\b/i, 'import, accept, read'],
  [/\bgo(?:es)? on by itself\b/i, 'continues by itself'],
  [/\bdistils?\b/i, 'distill: one spelling, that of the command'],
  [/\bpoison\b(?=.*\s)|(?<=\s.*)\bpoison\b/i, 'set aside, quarantined'],
  [
    /\b(?:seldom|hence|thereby|thereupon|therein|thereof|whereby|whereupon|hitherto|henceforth|whilst|amidst?|lest)\b/i,
    'a word that people say: rarely, so, by this, until now, while',
  ],
];
/** A doc comment names the thing or says what it does: "Returns…", "Stores…", "One row per…". */
const HEADLESS = /^(?:What|Who|Whose|Whom|Nobody|Somebody|Whoever|Which)\b/;
const HEADLESS_HINT = 'start the doc comment with a verb or with the name of the thing';

const CODE = /\.(?:ts|tsx|mjs)$/;
const TEXT = /\.md$/;
/** Scripts, pages and the manifests that clients and registries show. */
const PLAIN = /\.(?:sh|css|html)$|(?:^|\/)(?:package|plugin|marketplace|hooks)\.json$/;
/** Texts of other people, words that the product looks for, and requests whose recorded replies depend on every byte. */
const EXEMPT =
  /^(?:test\/(?:fixtures|corpus)\/|bench\/labels\/|plugin\/(?:sample|dist)\/|docs\/recordings\/|LICENSE|src\/distill\/rules\/_(?:english|other-languages)|src\/distill\/prompts|src\/database\/text\/stop-words|scripts\/language)/;

/**
 * @param {string} root
 * @param {string[]} [only] paths below root; all tracked files otherwise
 * @returns {string[]} one line per finding: `file:line: "phrase" in "…"; write: …`
 */
export function findPhrases(root, only = []) {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  });
  return [...new Set(list.toString().split('\0'))]
    .filter((file) => (CODE.test(file) || TEXT.test(file) || PLAIN.test(file)) && !EXEMPT.test(file))
    .filter((file) => only.length === 0 || only.some((part) => file.startsWith(part)))
    .filter((file) => fs.existsSync(path.join(root, file)))
    .flatMap((file) => phrasesIn(file, fs.readFileSync(path.join(root, file), 'utf8')));
}

/** @returns {string[]} */
export function phrasesIn(file, text) {
  const parts = TEXT.test(file) ? proseOf(text) : PLAIN.test(file) ? linesOf(text) : commentsAndStrings(text);
  if (file.endsWith('.tsx')) parts.push(...textOfElements(text));
  return parts.flatMap((part) => [
    ...PHRASES.flatMap(([pattern, instead]) => {
      const match = pattern.exec(part.text);
      return match ? [finding(file, text, part.at + match.index, match[0], instead)] : [];
    }),
    ...(part.kind === 'doc' && HEADLESS.test(part.text.replace(/^[\s*]+/, ''))
      ? [finding(file, text, part.at, part.text.replace(/^[\s*]+/, '').split(' ')[0], HEADLESS_HINT)]
      : []),
  ]);
}

function finding(file, text, at, phrase, instead) {
  const line = text.slice(0, at).split('\n').length;
  const sentence = text.split('\n')[line - 1].trim().slice(0, 120);
  return `${file}:${line}: "${phrase}" in: ${sentence}\n    write: ${instead}`;
}

/** Code fences and inline code are names of things, not prose. Offsets are kept. */
function proseOf(text) {
  const blank = (found) => found.replace(/[^\n]/g, ' ');
  return linesOf(text.replace(/^```[\s\S]*?^```/gm, blank).replace(/`[^`\n]*`/g, blank));
}

function linesOf(text) {
  let at = 0;
  return text.split('\n').map((line) => {
    const part = { kind: 'text', at, text: line };
    at += line.length + 1;
    return part;
  });
}

/** The text between the tags of a page. */
function textOfElements(text) {
  return [...text.matchAll(/(?<=>)[^<>{}]*\p{L}[^<>{}]*(?=[<{])/gu)].map(({ 0: found, index }) => ({
    kind: 'text',
    at: index,
    text: found,
  }));
}

/** A small scanner: comments, doc comments, quoted strings and the fixed parts of templates. */
function commentsAndStrings(text) {
  const parts = [];
  const token =
    /\/\*\*(?<doc>[\s\S]*?)\*\/|\/\*(?<block>[\s\S]*?)\*\/|\/\/(?<line>[^\n]*)|'(?<single>(?:[^'\\\n]|\\.)*)'|"(?<double>(?:[^"\\\n]|\\.)*)"|`(?<template>(?:[^`\\]|\\.)*)`|(?<=[=(,:[!&|?{};\n]\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;
  for (const match of text.matchAll(token)) {
    const { doc, block, line, single, double, template } = match.groups;
    const found = doc ?? block ?? line ?? single ?? double ?? template;
    if (found === undefined || found === '') continue;
    const at = match.index + match[0].indexOf(found);
    if (doc !== undefined) parts.push({ kind: 'doc', at, text: found });
    else parts.push({ kind: 'text', at, text: found });
  }
  return parts;
}

if (isMain(import.meta.url)) {
  const findings = findPhrases(ownRoot, process.argv.slice(2));
  for (const line of findings) console.log(line);
  if (findings.length > 0) console.log(`${findings.length} phrases to rewrite`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
