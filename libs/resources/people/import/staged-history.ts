import type { PoolClient } from 'pg';
import type { LocalDate } from '#kernel/dates.js';
import type { HistoryAction } from './import-columns.js';
import type { ResolvedTerms } from './named-references.js';
import { RANK_OF_ACTION } from './plan-employment.js';

/** A row of history with its references resolved. */
export interface StagedFact {
  readonly line: number;
  readonly personId: string;
  /** The e-mail address or staff_id by which the row names the person. */
  readonly subject: string;
  readonly action: HistoryAction;
  readonly date: LocalDate;
  readonly managerId: string | null;
  readonly resolved: ResolvedTerms;
}

const TABLE = `
create temporary table import_history (
  line integer not null,
  person_id text collate "C" not null,
  date date not null,
  rank integer not null,
  fact json not null
)`;

/** The rows of a file of history in a temporary table, which puts those of each person together and in order. */
export class StagedHistory {
  private last = 0;

  private constructor(private readonly connection: PoolClient) {}

  /** Over a connection of its own; the table ends with it. */
  static async open(connection: PoolClient): Promise<StagedHistory> {
    await connection.query(TABLE);
    return new StagedHistory(connection);
  }

  async add(facts: readonly StagedFact[]): Promise<void> {
    const rows = facts.map((fact) => ({
      line: fact.line,
      person_id: fact.personId,
      date: fact.date,
      rank: RANK_OF_ACTION[fact.action],
      fact,
    }));
    await this.connection.query({
      name: 'stage-history',
      text: `insert into import_history select * from json_to_recordset($1::json) as r(line integer, person_id text, date date, rank integer, fact json)`,
      values: [JSON.stringify(rows)],
    });
  }

  /** Call once, after the last row. People come in the order of their last row in the file. */
  async arrange(): Promise<void> {
    await this.connection.query(`
create index on import_history (person_id, date, rank, line);
create temporary table import_history_people as
  select row_number() over (order by max(line))::integer as place, person_id from import_history group by person_id;
create unique index on import_history_people (place);
analyze import_history, import_history_people`);
  }

  /** All rows of the next people, a person's together, by effective date; none at the end. */
  async next(people: number): Promise<ReadonlyMap<string, readonly StagedFact[]>> {
    const { rows } = await this.connection.query<{ fact: StagedFact }>({
      name: 'next-staged-history',
      text: `select h.fact from import_history_people p join import_history h using (person_id)
              where p.place > $1 and p.place <= $1 + $2 order by p.place, h.date, h.rank, h.line`,
      values: [this.last, people],
    });
    this.last += people;
    const byPerson = new Map<string, StagedFact[]>();
    for (const { fact } of rows) {
      const facts = byPerson.get(fact.personId);
      if (facts === undefined) byPerson.set(fact.personId, [fact]);
      else facts.push(fact);
    }
    return byPerson;
  }
}
