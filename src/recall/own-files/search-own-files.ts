/** Searches the sections of files that agents load themselves, by the same words as memories. Never injected. Pure. */
import { plainLine } from '../../core/index.ts';
import { factsReader, queryWords, tokensOf, type Frequencies } from '../../database/index.ts';
import { cutToTokens } from '../context/render.ts';
import { matchedWords } from '../matched.ts';
import { parseQuery } from '../query.ts';
import { relevance, weigh, type ScorePart } from '../ranking/score.ts';
import { secondTier } from '../ranking/second-tier.ts';
import { OWN_FILES_BELOW, SECTION_COLUMN_WEIGHTS } from '../ranking/weights.ts';
import type { Hit } from '../search.ts';
import type { IndexedSection, OwnSection } from './own-files.ts';

/** One or two sentences. */
const EXCERPT_TOKENS = 60;

export interface SectionFound {
  readonly section: OwnSection;
  readonly score: number;
  readonly parts: readonly ScorePart[];
  /** A sentence or two, from the one that matches the query best. */
  readonly excerpt: string;
}

/** Sections that match a query: a few below memories, or more if there are no memories. */
export function alsoWritten(
  sections: readonly IndexedSection[],
  text: string,
  hits: readonly Hit[],
  { now, known }: { readonly now: Date; readonly known: (tokens: readonly string[]) => Frequencies },
): readonly SectionFound[] {
  const query = parseQuery(text, now);
  const words = queryWords(query.text);
  // A section has no kind, state, agent or session; a query of filters alone lists memories.
  const isOfSession = query.session !== undefined || query.agents.length > 0;
  if (words.length === 0 || query.kinds.length + query.states.length > 0 || isOfSession) return [];
  const { file, since, until } = query;
  const asked = sections.filter(({ section: { path, at } }) => {
    if (file !== undefined && path !== file && !path.endsWith(`/${file}`)) return false;
    return (since === undefined || at >= since) && (until === undefined || at < until);
  });
  const tokens = [...new Set(words.flatMap(tokensOf))];
  const factsOf = factsReader(tokens, SECTION_COLUMN_WEIGHTS);
  const facts = asked.map(({ section, said }) => ({ section, ...factsOf(said) }));
  const weighed = weigh(words, withSections(known(tokens), facts));
  const average = facts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, facts.length);
  const candidates = facts
    .filter(({ counts }) => counts.size > 0)
    .map((one) => ({
      ...one,
      at: one.section.at,
      bm25: relevance(weighed, { ...one, near: [] }, average),
    }));
  const limit = hits.length > 0 ? OWN_FILES_BELOW.some : OWN_FILES_BELOW.none;
  return secondTier(candidates, { words: weighed })
    .slice(0, limit)
    .map(({ hit: { section }, score, parts }) => {
      return { section, score, parts, excerpt: bestExcerpt(section.text, query.text) };
    });
}

/** The first of the sentences with the most words of the query, and what follows. */
function bestExcerpt(text: string, query: string): string {
  const sentences = text.split(/(?<=[.!?。])\s+|\n+/).filter((sentence) => sentence.trim() !== '');
  const matches = sentences.map((sentence) => matchedWords(query, sentence).length);
  const best = Math.max(0, matches.indexOf(Math.max(...matches)));
  const rest = plainLine(sentences.slice(best).join(' '));
  return cutToTokens(best === 0 ? rest : `… ${rest}`, EXCERPT_TOKENS);
}

/** A handful of sections says little about how common a word is, so the memories count too. */
function withSections(
  { rows, counts }: Frequencies,
  facts: readonly { readonly counts: ReadonlyMap<string, number> }[],
): Frequencies {
  const all = new Map(counts);
  for (const one of facts) for (const token of one.counts.keys()) all.set(token, (all.get(token) ?? 0) + 1);
  return { rows: rows + facts.length, counts: all };
}
