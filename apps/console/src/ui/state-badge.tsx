import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

/** The meaning of a state: good, to be watched, bad, or over. */
export type Tone = 'good' | 'watch' | 'bad' | 'quiet';

const COLOURS: Readonly<Record<Tone, string>> = { good: 'green', watch: 'yellow', bad: 'red', quiet: 'gray' };

/** The state of something: in words, with a dot in a colour. The words keep the contrast of text. */
export function StateBadge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <Badge variant="dot" color={COLOURS[tone]} size="sm" tt="none" fw={500} miw="max-content">
      {children}
    </Badge>
  );
}
