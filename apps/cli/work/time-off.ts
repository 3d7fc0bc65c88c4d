import type { Json } from '#kernel/json.js';
import { stepTimeOff, type TimeOffStep } from '#resources/time-off/requests/time-off.commands.js';
import { presentTimeOff } from '#resources/time-off/requests/time-off.handlers.js';
import type { Call, Outcome } from '../command.js';
import { commandServices, operatorContext } from '../command-context.js';
import { withInstallation } from '../installation.js';
import { orSentence } from '../rejection-sentence.js';
import { requireOrganisation } from './organisations.js';

/** `workforce time-off approve`, `reject` and `cancel`. */
export function stepRecord(call: Call, step: TimeOffStep): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, call.options['organisation'] as string);
    const row = await orSentence(() => stepTimeOff(commandServices(installation), operatorContext(organisation), call.arguments[0]!, step));
    const { start_date: start, end_date: end, status_code: status } = row;
    return { json: presentTimeOff(row) as unknown as Json, text: `The time off ${row.id} from ${start} to ${end} is ${status}.` };
  });
}
