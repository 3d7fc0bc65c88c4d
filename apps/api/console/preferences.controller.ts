import { Controller, HttpCode, Inject, Put } from '@nestjs/common';
import type { Pool } from 'pg';
import { type Preferences, type SavedView, savePreferences } from '#access/user/preferences.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { EnumField, ListField, TextField } from '#http/fields.js';
import { Receive } from '#http/operation.js';

const MAX_VIEWS = 100;

class SavedViewBody implements SavedView {
  @TextField({ minimumLength: 1, maximumLength: 40 })
  readonly list!: string;
  @TextField({ minimumLength: 1, maximumLength: 60 })
  readonly name!: string;
  @TextField({ maximumLength: 2_000 })
  readonly state!: string;
}

class PreferencesBody implements Preferences {
  @EnumField(['en', 'de', 'fr', 'es'], { nullable: true })
  readonly language!: string | null;
  @ListField(() => SavedViewBody, { maximumItems: MAX_VIEWS })
  readonly views!: readonly SavedViewBody[];
}

/** The user's preferences in the console. `GET /console/session` returns them. */
@Controller('console/preferences')
export class PreferencesController {
  constructor(@Inject(DATABASE_POOL) private readonly pool: Pool) {}

  @Put()
  @HttpCode(204)
  @Endpoint({ name: 'savePreferences', callers: 'sessions', people: { of: 'none' }, body: PreferencesBody })
  async save(@Receive() { key, body }: Call<PreferencesBody>): Promise<void> {
    await savePreferences(this.pool, key.organisation.id, key.keyId, body);
  }
}
