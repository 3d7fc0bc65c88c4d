import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import { CLOCK, DATABASE_POOL } from '#commands/injection-tokens.js';
import { defineResource } from '#commands/resource.js';
import type { Answer, Call } from '#http/call.js';
import { EnumField, IntegerField, ListField, text, TextField } from '#http/fields.js';
import { GROWING_LIST_LENGTH } from '#http/fields/shape.js';
import { Operation, Receive } from '#http/operation.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import { SEVERITIES, type Severity } from '../export/payroll-readiness.rules.js';
import { countMappings, countPeople } from './integration-readiness.js';
import { type Area, AREAS, integrationIssues } from './integration-readiness.rules.js';
import { playbooksFor } from './playbooks.js';

/** More than any playbook has. */
const MAX_STEPS = 20;

class IntegrationIssueResponse {
  @EnumField(SEVERITIES, {
    description: 'blocking breaks integrations, warning makes their data doubtful, info is worth knowing.',
  })
  readonly severity!: Severity;
  @EnumField(AREAS)
  readonly area!: Area;
  @TextField({ description: 'In plain words.', example: 'people without a staff id to be matched by' })
  readonly issue!: string;
  @IntegerField({ minimum: 1, description: 'How many it concerns; never which ones.', example: 3 })
  readonly count!: number;
}

class PlaybookResponse {
  @TextField({
    description: 'A kind of provider, or a provider with mappings in the organisation.',
    example: 'payroll',
  })
  readonly provider_name!: string;
  @ListField(text({ maximumLength: 500 }), {
    maximumItems: MAX_STEPS,
    description: 'In order; each names the route and the scope it needs.',
    example: ['GET /people (people:read): match calendars by work_email'],
  })
  readonly steps!: readonly string[];
}

/** The issues that hinder integrations, and how to connect (contract part 4). */
class IntegrationReadinessResponse {
  @ListField(() => IntegrationIssueResponse, {
    maximumItems: GROWING_LIST_LENGTH,
    description: 'The most severe first; empty where there are none.',
  })
  readonly issues!: readonly IntegrationIssueResponse[];
  @ListField(() => PlaybookResponse, {
    maximumItems: GROWING_LIST_LENGTH,
    description: 'One for each kind of provider, and one for each provider with mappings.',
  })
  readonly playbooks!: readonly PlaybookResponse[];
}

@Controller('integration-readiness')
class IntegrationReadinessController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    operationId: 'getIntegrationReadiness',
    summary: 'Read the integration readiness',
    description:
      'Counts over all people who are employed or will start, without naming them, and how to connect providers step ' +
      'by step.',
    tags: ['Integration readiness'],
    scope: 'organisation:read',
    capability: 'integration.readiness.read',
    tools: [
      {
        name: 'check_integration_readiness',
        title: 'Check what is in the way of integrations',
        description:
          'Counts what is missing or inconsistent for payroll and other integrations, without naming people, and ' +
          'lists the steps to connect providers.',
      },
    ],
    response: IntegrationReadinessResponse,
  })
  async read(@Receive() call: Call): Promise<Answer> {
    const { id, timeZone, writesApproved } = call.key.organisation;
    const today = dateIn(timeZone, this.clock.now());
    const [people, providers] = await Promise.all([
      countPeople(this.pool, id, today),
      countMappings(this.pool, id, today),
    ]);
    const issues = integrationIssues({ writesApproved, people, providers });
    return { data: { issues, playbooks: playbooksFor(providers.map((provider) => provider.provider_name)) } };
  }
}

/** Reports what integrations still lack. */
export const integrationReadinessResource = defineResource({
  area: 'integration',
  controllers: [IntegrationReadinessController],
});
