import { CustomFieldModule } from './people/custom-field.module.js';
import { DocumentModule } from './people/document/document.module.js';
import { AvatarModule } from './people/avatar/avatar.module.js';
import { IntegrationReadinessModule } from './integration/integration-readiness/integration-readiness.module.js';
import { OrgUnitModule } from './organisation/org-unit/org-unit.module.js';
import { OrganisationModule } from './organisation/organisation/organisation.module.js';
import { PayrollExportModule } from './integration/payroll-export/payroll-export.module.js';
import { PeopleModule } from './people/people.module.js';
import { PersonalProfileModule } from './people/personal-profile/personal-profile.module.js';
import { ProviderMappingModule } from './integration/provider-mapping/provider-mapping.module.js';
import { ReferenceModule } from './organisation/reference/reference.module.js';
import { BalanceModule } from './time-off/balances/balance.module.js';
import { TimeOffModule } from './time-off/time-off.module.js';
import { SandboxModule } from './integration/sandbox/sandbox.module.js';
import { TimeOffSetUpModule } from './time-off/time-off-set-up.module.js';
import { WebhookModule } from './integration/webhook/webhook.module.js';
import { WorkingPatternModule } from './organisation/working-pattern/working-pattern.module.js';

/** The Nest modules that the API mounts. One line a resource that has routes. */
export const RESOURCE_MODULES = [
  PeopleModule,
  OrganisationModule,
  ReferenceModule,
  OrgUnitModule,
  WorkingPatternModule,
  TimeOffSetUpModule,
  PersonalProfileModule,
  AvatarModule,
  PayrollExportModule,
  CustomFieldModule,
  DocumentModule,
  ProviderMappingModule,
  TimeOffModule,
  BalanceModule,
  IntegrationReadinessModule,
  WebhookModule,
];

/** What the sandbox address mounts besides. */
export const SANDBOX_MODULES = [...RESOURCE_MODULES, SandboxModule];
