import { constants, getPriority, setPriority } from 'node:os';

/**
 * Has the other processes of this machine go first: callers of the API wait for their answers, receivers of webhooks do not wait for theirs.
 * With processor time to spare nothing changes. A process that was started with a lower priority still keeps it.
 */
export function yieldToOthers(): void {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  // Smaller numbers go first, and only a privileged user may give a process one.
  if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);
}
