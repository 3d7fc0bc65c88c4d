import { Anchor, type AnchorProps } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AddressState } from '../data/address.js';

interface ScreenLinkProperties extends AnchorProps {
  /** The path below `/console`, such as `/people/abc`. */
  readonly to: string;
  readonly search?: AddressState;
  /** Shown while it is pointed at, such as an id. */
  readonly title?: string;
  /** Called when the link is followed. */
  readonly onClick?: () => void;
  readonly children: ReactNode;
}

/** A link to a screen. */
export function ScreenLink({ to, search, children, ...properties }: ScreenLinkProperties) {
  const target = { to: to as never, ...(search === undefined ? {} : { search: search as never }) };
  return <Anchor {...properties} renderRoot={(root) => <Link {...target} {...root} />} children={children} />;
}
