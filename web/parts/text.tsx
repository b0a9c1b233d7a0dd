/**
 * Text of memories and conversations. Only text goes in and only text comes out: code, bold and the words asked for
 * are set apart by elements made here, and nothing in the text can become markup or a link.
 */

/** Past this a text is not looked through for anything: it is shown as it is. */
const LONGEST_LOOKED_THROUGH = 20_000;
const INLINE = /(`[^`\n]{1,300}`|\*\*[^*\n]{1,300}\*\*)/;
const FENCE = /^```[^\n]*\n([\s\S]*?)^```[^\n]*$/m;

export function Text({ text, words = [] }: { readonly text: string; readonly words?: readonly string[] }) {
  if (text.length > LONGEST_LOOKED_THROUGH) return <>{text}</>;
  return (
    <>
      {text.split(INLINE).map((part, i) => {
        if (i % 2 === 0) return <Marked key={i} text={part} words={words} />;
        if (part.startsWith('`')) return <code key={i}>{part.slice(1, -1)}</code>;
        return <b key={i}>{part.slice(2, -2)}</b>;
      })}
    </>
  );
}

/** Several paragraphs, with blocks of code between them. */
export function LongText({ text }: { readonly text: string }) {
  if (text.length > LONGEST_LOOKED_THROUGH) return <>{text}</>;
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
  const wanted = words.filter((word) => word.length > 1);
  if (wanted.length === 0) return <>{text}</>;
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
