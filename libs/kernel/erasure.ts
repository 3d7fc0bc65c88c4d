/** The value that replaces personal data whose key was destroyed. */
export const ERASED = '[erased]';

/** The issue of a write about an erased person. */
export const ERASED_ISSUE = 'the personal data of this person was erased';
