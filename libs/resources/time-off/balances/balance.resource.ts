import { BALANCE_ADJUSTMENTS_SCHEMA } from './balance-adjustment.schema.js';
import { defineResource } from '../../resource.js';
import { balanceAdjustmentProjection } from './balance-adjustment.projection.js';
import { BalanceController } from './balance.controller.js';
import { AdjustBalanceHandler } from './balance.handlers.js';
import { BalanceListController } from './balance-list.controller.js';
import { ledgerAggregate } from './ledger.decider.js';

/** Balances of time off, and their adjustments. */
export const balanceResource = defineResource({
  area: 'time-off',
  aggregates: [ledgerAggregate],
  projections: [balanceAdjustmentProjection],
  schema: BALANCE_ADJUSTMENTS_SCHEMA,
  controllers: [BalanceController, BalanceListController],
  handlers: [AdjustBalanceHandler],
});
