/**
 * Cleans all text that the page shows, before it reaches the document: no view can forget it. Bidi controls would show a
 * file name backwards, and invisible characters hide text from the reader. Data in the page's memory stays as it is, so
 * that a field nobody changes is saved as it was.
 */
import { options, type VNode } from 'preact';
import { plainLine, plainText } from '../src/core/plain/index.ts';

/** Attributes whose text a user sees or hears. */
const LINES = ['title', 'alt', 'placeholder', 'aria-label', 'aria-description', 'aria-valuetext'];
const TYPED = new Set(['text', 'search', undefined]);

export function cleanShownText(): void {
  const next = options.vnode;
  options.vnode = (node) => {
    clean(node);
    next?.(node);
  };
}

function clean(node: VNode): void {
  // A text node is a node without a type, and its text is in place of the properties.
  const { type, props } = node as { type: unknown; props: unknown };
  if (typeof props === 'string') {
    node.props = plainText(props) as never;
    return;
  }
  if (typeof type !== 'string') return;
  const attributes = props as Record<string, unknown>;
  for (const name of LINES) {
    const value = attributes[name];
    if (typeof value === 'string') attributes[name] = plainLine(value);
  }
  const { value } = attributes;
  if (typeof value === 'string' && isTyped(type, attributes['type'])) attributes['value'] = plainText(value);
}

/** Values of options and radio buttons are data, which the page sends back. */
function isTyped(element: string, type: unknown): boolean {
  return element === 'textarea' || (element === 'input' && TYPED.has(type as string | undefined));
}
