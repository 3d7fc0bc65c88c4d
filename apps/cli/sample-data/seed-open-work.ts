import { CreateApiKey } from '#access/api-key/api-key.api.js';
import { CreateImport } from '#imports/request-import.js';
import { dateIn } from '#kernel/dates.js';
import { changesOfWrite, sealContent } from '#mcp/proposal/proposal-content.js';
import { RecordProposal } from '#mcp/proposal/record-proposal.js';
import { PROPOSAL_LIFETIME_MILLISECONDS, writeProposalTable } from '#mcp/proposal/write-proposal.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { personKeyOf } from '#people/person/person-keys.js';
import { operatorContext } from '../command-context.js';
import { calendarFrom, type Calendar, instantOn, withDays } from './calendar.js';
import { DEMO } from './data-files.js';
import { absenceOf } from './person-data.js';
import { stepContextAt } from './seed-organisation.js';
import type { Seeding } from './seeding.js';
import type { StepContext } from './steps.js';

/**
 * Creates open work at the end of the history: an import whose check finds problems, and writes that an AI
 * client proposes. Safe to repeat.
 */
export async function seedOpenWork(seeding: Seeding, organisation: OrganisationRow): Promise<void> {
  const calendar = calendarFrom(dateIn(organisation.time_zone, organisation.created_at));
  const instant = instantOn(calendar, calendar.today, 478);
  const stepContext = stepContextAt(instant, seeding, organisation);
  await requestImport(stepContext, organisation, calendar);
  await propose(stepContext, organisation, calendar, instant);
}

/** Requests an import, which a worker checks as soon as one runs. */
async function requestImport(
  { send, contextOf }: StepContext,
  { time_zone: timeZone }: OrganisationRow,
  calendar: Calendar,
): Promise<void> {
  const { fileName, rows } = withDays(DEMO.import, calendar);
  const requested = {
    kind: 'people',
    fileName,
    csv: rows.join('\n'),
    isDryRun: true,
    createsMissing: false,
    options: {},
    timeZone,
  } as const;
  await send(new CreateImport({ ...contextOf('import'), requestId: 'demo' }, requested));
}

async function propose(
  { send, pool, mint, contextOf }: StepContext,
  organisation: OrganisationRow,
  calendar: Calendar,
  instant: string,
): Promise<void> {
  const { key, client, scopes, proposals } = DEMO.assistant;
  const requested = { name: key, environment: 'live', scopes, expiresAt: null } as const;
  const { actor: operator } = operatorContext(organisation);
  const { row } = await send(new CreateApiKey({ ...contextOf('assistant'), actor: operator }, requested));
  const { id: organisationId } = organisation;
  for (const { name, ...absence } of proposals) {
    const context = contextOf('proposal', ...name);
    const id = mint.prefixed('writeProposal', organisationId, ...context.seed);
    if ((await writeProposalTable.find(pool, organisationId, id)) !== null) continue;
    const { category, dates } = absenceOf(absence, calendar);
    const { rows } = await pool.query<{ person_id: string; category_id: string }>(
      `select p.person_id, c.id as category_id from people p join time_off_categories c using (organisation_id)
        where organisation_id = $1 and p.first_name = $2 and p.last_name = $3 and c.label = $4`,
      [organisationId, ...name, category],
    );
    const { person_id } = rows[0]!;
    const body = { ...rows[0]!, start_date: dates.start_date, end_date: dates.end_date };
    const content = { parameters: {}, body, changes: changesOfWrite(body, null), client };
    const proposed = {
      operation: 'createTimeOff',
      key_id: row.key_id,
      environment: 'live',
      person_id,
      entity_tag: null,
      expires_at: new Date(Date.parse(instant) + PROPOSAL_LIFETIME_MILLISECONDS).toISOString(),
      sealed: sealContent(content, (await personKeyOf(pool, organisationId, person_id))!),
    } as const;
    const actor = { type: 'api_key', id: row.key_id } as const;
    await send(new RecordProposal({ ...context, actor }, id, { type: 'propose', proposed }));
  }
}
