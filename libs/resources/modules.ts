import { PeopleModule } from './people/people.module.js';

/** The Nest modules that the API mounts. One line a resource that has routes. */
export const RESOURCE_MODULES = [PeopleModule];
