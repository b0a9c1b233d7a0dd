/** Keeps only the visible rows of a long list in the document. Follows the page's scrolling. */
import { Virtualizer, observeWindowOffset, observeWindowRect, windowScroll } from '@tanstack/virtual-core';
import { useEffect, useLayoutEffect, useReducer, useState } from 'preact/hooks';

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
  return rows;
}
