import { ActionIcon, Group } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface PeriodButtonsProperties {
  /** The names of the buttons. */
  readonly before: string;
  readonly after: string;
  readonly onStep: (step: -1 | 1) => void;
  /** Between the buttons, such as the period. */
  readonly children: ReactNode;
}

/** The buttons to the period before and the one after. */
export function PeriodButtons({ before, after, onStep, children }: PeriodButtonsProperties) {
  return (
    <Group gap={4}>
      <ActionIcon variant="default" size="lg" aria-label={before} onClick={() => onStep(-1)}>
        <IconChevronLeft size={18} aria-hidden />
      </ActionIcon>
      {children}
      <ActionIcon variant="default" size="lg" aria-label={after} onClick={() => onStep(1)}>
        <IconChevronRight size={18} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
