import { defineResource } from '../../resource.js';
import { NOTICE_READS_MIGRATION } from '../notice/notice.queries.js';
import { OPERATOR_HANDLERS } from './operator.handlers.js';
import { SIGN_IN_HANDLERS } from './sign-in.handlers.js';
import { USER_CONTROLLERS } from './user.api.js';
import { USER_HANDLERS } from './user.handlers.js';
import { userAggregate } from './user.decider.js';
import { SIGN_INS_MIGRATION, userProjection, USERS_MIGRATION } from './user.projection.js';

/** The people who sign in to the console. Operators invite and change them on the command line, administrators over the API. */
export const userResource = defineResource({
  area: 'integration',
  aggregates: [userAggregate],
  projections: [userProjection],
  migrations: [USERS_MIGRATION, NOTICE_READS_MIGRATION, SIGN_INS_MIGRATION],
  controllers: USER_CONTROLLERS,
  handlers: [...USER_HANDLERS, ...OPERATOR_HANDLERS, ...SIGN_IN_HANDLERS],
});
