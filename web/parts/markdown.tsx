/**
 * Markdown as elements, created one by one from the tokens of a lexer: nothing in the text becomes markup, only http,
 * https and mailto become links, and images are named but not loaded.
 */
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

/** A longer text is shown as plain text: formatting it would take seconds. */
const LONGEST_FORMATTED = 300_000;
/** Its headings are below those of the view. */
const LEVELS_DOWN = 1;
const SAFE_LINK = /^(?:https?:\/\/|mailto:)/i;

export function Markdown({ text }: { readonly text: string }) {
  const tokens = useMemo(() => (text.length > LONGEST_FORMATTED ? undefined : lexer(text)), [text]);
  if (!tokens) return <pre class="markdown">{text}</pre>;
  return <div class="markdown">{all(tokens)}</div>;
}

function all(tokens: readonly Token[] | undefined): ComponentChildren {
  // No extension is registered: only marked's own tokens occur.
  return (tokens ?? []).map((token, i) => <One key={i} token={token as MarkedToken} />);
}

function One({ token }: { readonly token: MarkedToken }): ComponentChildren {
  switch (token.type) {
    case 'heading': {
      const Heading = `h${Math.min(6, token.depth + LEVELS_DOWN)}` as 'h2';
      return <Heading>{all(token.tokens)}</Heading>;
    }
    case 'paragraph':
      return <p>{all(token.tokens)}</p>;
    case 'blockquote':
      return <blockquote>{all(token.tokens)}</blockquote>;
    case 'list':
      return token.ordered ? (
        <ol start={token.start === '' ? 1 : token.start}>{all(token.items)}</ol>
      ) : (
        <ul>{all(token.items)}</ul>
      );
    case 'list_item':
      return <li>{all(token.tokens)}</li>;
    case 'checkbox':
      return <input type="checkbox" checked={token.checked} disabled aria-label="done" />;
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case 'table':
      return <Table table={token} />;
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'strong':
      return <strong>{all(token.tokens)}</strong>;
    case 'em':
      return <em>{all(token.tokens)}</em>;
    case 'del':
      return <del>{all(token.tokens)}</del>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'link':
      return <Link link={token} />;
    case 'image':
      return <span class="soft">[image: {token.text}]</span>;
    case 'html':
      // Comments are for programs.
      return /^\s*<!--[\s\S]*-->\s*$/.test(token.text) ? null : token.text;
    case 'text':
      return token.tokens ? all(token.tokens) : token.text;
    case 'escape':
      return token.text;
    case 'space':
    case 'def':
      return null;
  }
}

function Link({ link }: { readonly link: Tokens.Link }) {
  if (!SAFE_LINK.test(link.href)) return <>{all(link.tokens)}</>;
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer">
      {all(link.tokens)}
    </a>
  );
}

function Table({ table }: { readonly table: Tokens.Table }) {
  return (
    <div class="table-wrap">
      <table class="figures">
        <thead>
          <tr>
            {table.header.map((cell, i) => (
              <th key={i} scope="col">
                {all(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j}>{all(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
