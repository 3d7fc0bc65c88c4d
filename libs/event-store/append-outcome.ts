import { type Appended, WrongExpectedRevisionError } from './event-store.js';

/** Turns one append into an outcome of `appendMany`: a conflict is returned; every other error is thrown. */
export async function outcomeOf(append: Promise<Appended>): Promise<Appended | WrongExpectedRevisionError> {
  try {
    return await append;
  } catch (error) {
    if (error instanceof WrongExpectedRevisionError) return error;
    throw error;
  }
}
