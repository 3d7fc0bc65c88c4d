import { Controller, Get, Inject } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Answer, Call } from '#http/call.js';
import { CLOCK, DATABASE_POOL } from '#http/injection-tokens.js';
import { Operation, Receive } from '#http/operation.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import { IntegrationReadinessResponse } from './integration-readiness.contract.js';
import { countMappings, countPeople } from './integration-readiness.queries.js';
import { integrationIssues } from './integration-readiness.rules.js';
import { playbooksFor } from './playbooks.js';

@Controller('integration-readiness')
export class IntegrationReadinessController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    operationId: 'getIntegrationReadiness',
    summary: 'Read the integration readiness',
    description: 'Counts over all people who are employed or will start, without naming them, and how to connect providers step by step.',
    tags: ['Integration readiness'],
    scope: 'organisation:read',
    capability: 'integration.readiness.read',
    tools: [
      {
        name: 'check_integration_readiness',
        title: 'Check what is in the way of integrations',
        description:
          'Counts what is missing or inconsistent for payroll and other integrations, without naming people, and lists the steps to connect providers.',
      },
    ],
    response: IntegrationReadinessResponse,
  })
  async read(@Receive() call: Call): Promise<Answer> {
    const { id, timeZone, writesApproved } = call.key.organisation;
    const today = dateIn(timeZone, this.clock.now());
    const [people, providers] = await Promise.all([countPeople(this.pool, id, today), countMappings(this.pool, id, today)]);
    const issues = integrationIssues({ writesApproved, people, providers });
    return { data: { issues, playbooks: playbooksFor(providers.map((provider) => provider.provider_name)) } };
  }
}
