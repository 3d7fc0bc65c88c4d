export function released(changelog: string, version: string, date: string): string;
export function notesOf(changelog: string, version: string): string;
export function rehearsable(changelog: string): string;
