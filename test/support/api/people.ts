import { randomUUID } from 'node:crypto';
import { type ApiClient, dataOf, tagOf } from './http-client.js';
import type { Employment, Fact, Person, Timeline } from './shapes.js';

/** Returns an e-mail address that no person has. */
export function newEmail(): string {
  return `${randomUUID()}@example.com`;
}

/** Actions on people; each step must succeed. */
export class PeopleActions {
  /** The caller is read when an action needs it: that of a spec exists in its tests and hooks alone. */
  constructor(private readonly caller: { readonly client: ApiClient }) {}

  async create(body: object = {}): Promise<Person> {
    return dataOf(201, await this.caller.client.post<Person>('/people', { work_email: newEmail(), ...body }));
  }

  async person(id: string): Promise<Person> {
    return dataOf(200, await this.caller.client.get<Person>(`/people/${id}`));
  }

  async employment(id: string): Promise<Employment> {
    return dataOf(200, await this.caller.client.get<Employment>(`/people/${id}/employment`));
  }

  async identity(id: string, body: object): Promise<Person> {
    return dataOf(
      200,
      await this.caller.client.patch<Person>(`/people/${id}`, body, { ifMatch: await this.personTag(id) }),
    );
  }

  async change(id: string, body: object): Promise<Employment> {
    return dataOf(
      200,
      await this.caller.client.patch<Employment>(`/people/${id}/employment`, body, {
        ifMatch: await this.employmentTag(id),
      }),
    );
  }

  async correct(id: string, body: object): Promise<Fact> {
    return dataOf(
      201,
      await this.caller.client.post<Fact>(`/people/${id}/employment-history`, {
        correction_reason: 'It was recorded wrongly.',
        ...body,
      }),
    );
  }

  async end(id: string, endDate: string): Promise<Person> {
    return dataOf(
      200,
      await this.caller.client.post<Person>(
        `/people/${id}/end`,
        { end_date: endDate },
        { ifMatch: await this.personTag(id) },
      ),
    );
  }

  async reactivate(id: string, body: object): Promise<Person> {
    return dataOf(
      200,
      await this.caller.client.post<Person>(`/people/${id}/reactivate`, body, { ifMatch: await this.personTag(id) }),
    );
  }

  async timeline(id: string, query: Readonly<Record<string, string>> = {}): Promise<Timeline> {
    return dataOf(200, await this.caller.client.get<Timeline>(`/people/${id}/timeline`, query));
  }

  /** Returns all facts, oldest first. */
  async facts(id: string): Promise<readonly Fact[]> {
    return [...(await this.all<Fact>(`/people/${id}/employment-history`))].reverse();
  }

  /** Returns every row of a list, page after page. */
  async all<Row>(path: string, query: Readonly<Record<string, string | number>> = {}): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await this.caller.client.get<readonly Row[]>(
        path,
        cursor === undefined ? query : { ...query, cursor },
      );
      rows.push(...dataOf(200, page));
      cursor = page.json.pagination.next_cursor;
      if (cursor === undefined || cursor === '') return rows;
    }
  }

  async personTag(id: string): Promise<string> {
    return tagOf(await this.caller.client.get(`/people/${id}`));
  }

  async employmentTag(id: string): Promise<string> {
    return tagOf(await this.caller.client.get(`/people/${id}/employment`));
  }
}
