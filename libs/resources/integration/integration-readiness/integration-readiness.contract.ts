import { GROWING_LIST_LENGTH } from '#http/fields/shape.js';
import { EnumField, IntegerField, ListField, text, TextField } from '#http/fields.js';
import { SEVERITIES, type Severity } from '../payroll-export/payroll-readiness.rules.js';
import { type Area, AREAS } from './integration-readiness.rules.js';

/** More than any playbook has. */
const MOST_STEPS = 20;

export class IntegrationIssueResponse {
  @EnumField(SEVERITIES, { description: 'blocking breaks integrations, warning makes their data doubtful, info is worth knowing.' })
  readonly severity!: Severity;
  @EnumField(AREAS)
  readonly area!: Area;
  @TextField({ description: 'In plain words.', example: 'people without a staff id to be matched by' })
  readonly issue!: string;
  @IntegerField({ minimum: 1, description: 'How many it concerns; never which ones.', example: 3 })
  readonly count!: number;
}

export class PlaybookResponse {
  @TextField({ description: 'A kind of provider, or a provider with mappings in the organisation.', example: 'payroll' })
  readonly provider_name!: string;
  @ListField(text({ maximumLength: 500 }), {
    maximumItems: MOST_STEPS,
    description: 'In order; each names the route and the scope it needs.',
    example: ['GET /people (people:read): match calendars by work_email'],
  })
  readonly steps!: readonly string[];
}

/** The issues that hinder integrations, and how to connect (contract part 4). */
export class IntegrationReadinessResponse {
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
