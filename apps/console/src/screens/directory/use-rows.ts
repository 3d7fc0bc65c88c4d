import { useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Person } from '../../data/client.js';

/** A list of people of which only the rows in sight are in the page. */
export interface PeopleList {
  /** Those that are read. */
  readonly rows: readonly Person[];
  /** The number of all people in the list. */
  readonly total: number;
  /** Links to the pictures, by person. */
  readonly pictures: ReadonlyMap<string, string>;
  /** The day of the list. */
  readonly day: string;
  /** Whether another page can be requested. */
  readonly isNearEnd: boolean;
  readonly onNearEnd: () => void;
}

/**
 * The rows in sight while the window scrolls. Reads the next page before the last row comes into sight.
 *
 * @param height the height of a row in pixels
 */
export function useRows<Container extends HTMLElement>(
  { rows, total, isNearEnd, onNearEnd }: PeopleList,
  height: number,
): { readonly container: RefObject<Container | null>; readonly virtual: Virtualizer<Window, Element> } {
  const container = useRef<Container>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  const virtual = useWindowVirtualizer({ count: total, estimateSize: () => height, overscan: 6, scrollMargin });
  // What stands above the list changes its height with the filters, which change the rows too: measuring more
  // often would lay out the page once more in every frame and for every step of a search.
  useLayoutEffect(
    () => setScrollMargin((container.current?.getBoundingClientRect().top ?? 0) + window.scrollY),
    [rows, total],
  );
  const last = virtual.getVirtualItems().at(-1)?.index ?? 0;
  useEffect(() => {
    if (isNearEnd && last >= rows.length - 1) onNearEnd();
  }, [isNearEnd, last, rows.length, onNearEnd]);
  return { container, virtual };
}
