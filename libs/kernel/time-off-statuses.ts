/** Values of a time-off record's `status_code` (contract part 2). */
export const TIME_OFF_STATUSES = ['pending', 'approved', 'rejected', 'cancelled'] as const;

export type TimeOffStatus = (typeof TIME_OFF_STATUSES)[number];
