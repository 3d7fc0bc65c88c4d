import { type Appended, WrongExpectedRevisionError } from './event-store.js';

/** What `appendMany` says of one append: a conflict is an outcome like any other; everything else is thrown. */
export async function outcomeOf(append: Promise<Appended>): Promise<Appended | WrongExpectedRevisionError> {
  try {
    return await append;
  } catch (error) {
    if (error instanceof WrongExpectedRevisionError) return error;
    throw error;
  }
}
