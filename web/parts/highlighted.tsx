/** A text with the words that were asked for marked. Only text goes in, and only text comes out. */

/** Marking half a book makes it no easier to read. */
const LONGEST_MARKED = 4000;

export function Highlighted({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  const wanted = words.filter((word) => word.length > 1);
  if (wanted.length === 0 || text.length > LONGEST_MARKED) return <>{text}</>;
  // Longest first, so that `berths` is not marked as `berth` and an s.
  const pattern = wanted
    .toSorted((a, b) => b.length - a.length)
    .map(literally)
    .join('|');
  const parts = text.split(new RegExp(`(${pattern})`, 'giu'));
  return <>{parts.map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part))}</>;
}

function literally(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
