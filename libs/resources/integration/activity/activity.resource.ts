import { defineResource } from '../../resource.js';
import { ActivityController } from './activity.controller.js';
import { ACTIVITY_MIGRATION } from './activity.projection.js';
import { ActivityReader } from './activity.reader.js';

/** What happened in an organisation. Its projection is of all aggregates, so `registry.ts` makes it. */
export const activityResource = defineResource({
  area: 'integration',
  migrations: [ACTIVITY_MIGRATION],
  controllers: [ActivityController],
  providers: [ActivityReader],
});
