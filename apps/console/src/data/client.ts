import { type components, createClient } from '@workforce-hr/client';
import { send } from './connection.js';

/** The API of the service that serves this page, with the session of the browser. */
export const client = createClient({ fetch: send });

export type Schemas = components['schemas'];
export type Person = Schemas['PersonResponse'];
export type Scope = Schemas['MeApiKey']['scopes'][number];
