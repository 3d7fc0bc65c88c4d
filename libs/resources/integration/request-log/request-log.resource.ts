import { REQUEST_LOG_SCHEMA } from '#http/request-log/request-log.sql.js';
import { defineResource } from '../../resource.js';
import { RequestLogController } from './request-log.api.js';

/** The requests of the last days, which the pipeline notes. */
export const requestLogResource = defineResource({
  area: 'integration',
  migrations: [{ version: 11, name: 'log of requests', sql: REQUEST_LOG_SCHEMA }],
  controllers: [RequestLogController],
});
