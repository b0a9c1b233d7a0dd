/** Keeps only the visible rows of a long list in the document. Follows the page's scrolling. */
import { Virtualizer, observeWindowOffset, observeWindowRect, windowScroll } from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

export interface Rows {
  readonly count: number;
  readonly estimate: (index: number) => number;
  readonly keyOf: (index: number) => string;
  /** The element that is as high as all rows together. */
  readonly list: { readonly current: HTMLElement | null };
}

/** Rows beyond the edges, for the keyboard and fast scrolling. */
const BEYOND = 8;

export function useRows({ count, estimate, keyOf, list }: Rows): Virtualizer<Window, HTMLElement> {
  const [, draw] = useReducer((drawn: number) => drawn + 1, 0);
  const [top, setTop] = useState(0);
  const options = {
    count,
    estimateSize: estimate,
    getItemKey: keyOf,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    initialOffset: () => scrollY,
    scrollMargin: top,
    overscan: BEYOND,
    onChange: () => draw(undefined),
  };
  const [rows] = useState(() => new Virtualizer<Window, HTMLElement>(options));
  rows.setOptions(options);
  useEffect(() => rows._didMount(), []);
  useLayoutEffect(() => {
    rows._willUpdate();
    const now = Math.round((list.current?.getBoundingClientRect().top ?? 0) + scrollY);
    if (now !== top) setTop(now);
  });
  useStayAtEnd(count, rows.getTotalSize());
  return rows;
}

/**
 * Keeps the end of the page in place while the last rows are measured. Otherwise the button below them moves away from
 * the mouse after a jump to the end, and a click misses it.
 */
function useStayAtEnd(count: number, size: number): void {
  const before = useRef({ count, size, height: 0 });
  useLayoutEffect(() => {
    const { scrollHeight: height } = document.documentElement;
    const was = before.current;
    before.current = { count, size, height };
    const isAtEnd = scrollY > 0 && scrollY + innerHeight >= was.height - 1;
    if (isAtEnd && count === was.count && size !== was.size) scrollTo(0, height);
  });
}
