/**
 * Text of memories and conversations. Code, bold and matched words become elements that are created here; nothing in the
 * text can become markup or a link.
 */

/** A longer text is shown without any formatting. */
const LONGEST_FORMATTED = 20_000;
/** Code, code that the end of a shortened text cut off, bold. */
const INLINE = /(`[^`\n]{1,300}`|`[^`\n]{1,300}…$|\*\*[^*\n]{1,300}\*\*)/;
const FENCE = /^```[^\n]*\n([\s\S]*?)^```[^\n]*$/m;

export function Text({ text, words = [] }: { readonly text: string; readonly words?: readonly string[] }) {
  if (text.length > LONGEST_FORMATTED) return <>{text}</>;
  return (
    <>
      {text.split(INLINE).map((part, i) => {
        if (i % 2 === 0) return <Marked key={i} text={part} words={words} />;
        if (part.startsWith('`')) return <code key={i}>{part.replace(/^`|`$/g, '')}</code>;
        return <b key={i}>{part.slice(2, -2)}</b>;
      })}
    </>
  );
}

/** Paragraphs with code blocks. */
export function LongText({ text }: { readonly text: string }) {
  if (text.length > LONGEST_FORMATTED) return <>{text}</>;
  return (
    <>
      {text
        .split(FENCE)
        .map((part, i) =>
          i % 2 === 1 ? (
            <pre key={i}>{part.replace(/\n$/, '')}</pre>
          ) : (
            <Text key={i} text={i === 0 ? part : part.replace(/^\n+/, '')} />
          ),
        )}
    </>
  );
}

function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  const marked = words.filter((word) => word.length > 1);
  if (marked.length === 0) return <>{text}</>;
  // Longest first, so that `berths` is not marked as `berth` and an s.
  const pattern = marked
    .toSorted((a, b) => b.length - a.length)
    .map(escaped)
    .join('|');
  const parts = text.split(new RegExp(`(${pattern})`, 'giu'));
  return <>{parts.map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part))}</>;
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
