import { Controller, Get, HttpCode, Inject, Patch, Post, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import type { Call } from '#http/call.js';
import { Endpoint } from '#http/endpoint.js';
import { IdField, ObjectField, partialOf } from '#http/fields.js';
import { requestFields, shapeOf } from '#http/fields/plain-fields.js';
import { Receive } from '#http/operation.js';
import { withoutReceipt } from '#http/send.js';
import type { Clock } from '#kernel/clock.js';
import { defineFields } from '#kernel/field-list.js';
import { found } from '#kernel/rejection.js';
import { SetOrganisation } from '#organisation/organisation/organisation.api.js';
import { findOrganisation } from '#organisation/organisation/organisation.js';
import { PROFILE, type Profile, publicSubdomain } from '#organisation/organisation/organisation.rules.js';
import { previewBalances, type ProposedRules } from '#time-off/balances/preview-balances.js';
import { TIME_OFF_CATEGORY } from '#time-off/category/time-off-category.rules.js';
import { TIME_OFF_SETTINGS } from '#time-off/settings/time-off-settings.rules.js';
import { FORM_FACTS } from './form-facts.js';
import { CHANGERS, present } from './settings-controller.js';
import { bodiesOf } from './settings-resources.js';

// The operator sets the plan, on the command line.
const { plan: _, ...SETTABLE } = PROFILE.fields;
const { changeBody: ProfileChanges } = bodiesOf(defineFields(SETTABLE));

class ProposedSettings extends partialOf(shapeOf<object>(requestFields(TIME_OFF_SETTINGS))) {}
class CategoryChanges extends partialOf(shapeOf<object>(requestFields(TIME_OFF_CATEGORY))) {}

class ProposedCategory {
  @IdField('timeOffCategory')
  readonly id!: string;
  @ObjectField(() => CategoryChanges)
  readonly changes!: object;
}

class PreviewRequest {
  @IdField('person')
  readonly person_id!: string;
  @ObjectField(() => ProposedSettings, { optional: true })
  readonly settings?: ProposedRules['settings'];
  @ObjectField(() => ProposedCategory, { optional: true })
  readonly category?: NonNullable<ProposedRules['category']>;
}

const SESSIONS = { callers: 'sessions' } as const;

/**
 * The settings of the organisation itself, and the facts for the forms of all settings. These routes are not
 * operations of the contract: API keys cannot use them.
 */
@Controller('console/product-settings')
export class OrganisationSettingsController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly commands: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The facts of the fields of every form, and whether the organisation may write. */
  @Get()
  @Endpoint({ ...SESSIONS, name: 'getSettings' })
  facts(@Receive() { key: { organisation } }: Call): object {
    return {
      data: { forms: FORM_FACTS, plan: organisation.plan, writes_approved: organisation.writesApproved },
    };
  }

  @Get('organisation')
  @UseGuards(CHANGERS)
  @Endpoint({ ...SESSIONS, name: 'getOrganisationSettings' })
  async read(@Receive() { key }: Pick<Call, 'key'>): Promise<object> {
    const { is_sandbox: __, ...row } = found(await findOrganisation(this.pool, key.organisation.id));
    return { data: { ...present(row), subdomain: publicSubdomain(row.id, row.subdomain) } };
  }

  @Patch('organisation')
  @UseGuards(CHANGERS)
  @Endpoint({ ...SESSIONS, name: 'changeOrganisationSettings', writes: true, body: ProfileChanges })
  async change(@Receive() call: Call<object>): Promise<object> {
    const changes = { ...call.body } as Partial<Profile>;
    await this.commands.execute(new SetOrganisation(withoutReceipt(call), changes, call.ifMatch));
    return this.read(call);
  }

  /** The balances of a person by the rules in force and by those of a form, before the form is sent. */
  @Post('balance-previews')
  @HttpCode(200)
  @Endpoint({
    ...SESSIONS,
    name: 'previewBalances',
    scopes: ['time_off:config:write', 'time_off:read', 'people:read'],
    body: PreviewRequest,
  })
  async preview(@Receive() { key, body }: Call<PreviewRequest>): Promise<object> {
    const { person_id: personId, settings = {}, category = null } = body;
    const of = { organisationId: key.organisation.id, personId, now: this.clock.now() };
    return { data: found(await previewBalances(this.pool, of, { settings, category })) };
  }
}
