import type { KeyboardEvent } from 'react';

/** Moves between the people by the arrow keys, and from the search to the first of them. */
export function moveFocus(event: KeyboardEvent, step: number): void {
  if (step === 0) return;
  const links = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  const next = links[Math.max(0, links.indexOf(document.activeElement as HTMLElement) + step)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

/** The step of a key in a list of people: -1, 0 or 1. */
export const stepOf = ({ key }: KeyboardEvent): number => (key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0);
