import { setTimeout as pause } from 'node:timers/promises';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CustomFieldActions } from '../support/api/custom-fields.js';
import { bodySchemaOf, type Schema, type WalkedOperation } from '../support/api/document-walk.js';
import { exampleRequest } from '../support/api/example-requests.js';
import { type ApiAnswer, tagOf } from '../support/api/http-client.js';
import { MarkerSearch } from '../support/api/markers.js';
import { PrivateSetting } from '../support/api/private-setting.js';
import { MARKERS, textsOf } from '../support/api/private-values.js';
import { exitCodeOfSentence } from '../support/exit-codes.js';
import { startTestWorker } from '../support/worker.js';

const SEARCH = new MarkerSearch(MARKERS);

let setting: PrivateSetting;

beforeAll(async () => {
  setting = await PrivateSetting.make();
});

afterAll(() => setting.end());

describe('private texts in the wrong place', () => {
  const wrong = MARKERS.map(({ text }) => text);

  /**
   * Bodies with a private text where something else is wanted, where too much of it is, and where nothing is
   * wanted.
   */
  function wrongBodies(walked: WalkedOperation): readonly object[] {
    const schema = bodySchemaOf(setting.api.check.document, walked.operation);
    if (schema === null) return [{ unknown: wrong.join(' ') }];
    const example = walked.operation.requestBody!.content['application/json'].example;
    const fields = Object.entries(schema.properties ?? {}) as readonly (readonly [string, Schema])[];
    return [
      { ...example, unknown: wrong.join(' ') },
      ...fields.flatMap(([name], index) => [
        { ...example, [name]: wrong[index % wrong.length]!.repeat(200) },
        { ...example, [name]: { of: wrong } },
        { ...example, [name]: wrong[index % wrong.length] },
      ]),
    ];
  }

  it('come back in no error', async () => {
    let refused = 0;
    const expectNone = (answer: ApiAnswer, where: string): void => {
      if (answer.status < 400) return;
      refused += 1;
      expect([where, answer.status < 500, SEARCH.kindsIn(answer.text)]).toEqual([where, true, []]);
    };
    for (const walked of setting.operations()) {
      const { method, template, operation } = walked;
      const request = exampleRequest(walked, (kind) => setting.idOf(kind));
      const path = template.replace(/\{\w+\}/g, encodeURIComponent(wrong[0]!));
      if (path !== template)
        expectNone(
          await setting.everybody.send(method, path, { body: request.options.body }),
          `the path of ${method} ${template}`,
        );
      for (const { name, in: place } of operation.parameters) {
        if (place !== 'query') continue;
        expectNone(
          await setting.everybody.send(
            method,
            `${request.path.split('?')[0]}?${name}=${encodeURIComponent(wrong[3]!)}`,
          ),
          `${name} of ${method} ${template}`,
        );
      }
      expectNone(
        await setting.everybody.send(
          method,
          `${request.path}${request.path.includes('?') ? '&' : '?'}unknown=${encodeURIComponent(wrong[6]!)}`,
        ),
        `a query of ${method} ${template}`,
      );
      if (method === 'GET') continue;
      for (const body of wrongBodies(walked))
        expectNone(
          await setting.everybody.send(method, request.path, { ...request.options, body }),
          `the body of ${method} ${template}`,
        );
      expectNone(
        await setting.everybody.send(method, request.path, { ...request.options, ifMatch: wrong[0] }),
        `If-Match of ${method} ${template}`,
      );
      expectNone(
        await setting.everybody.send(method, request.path, { ...request.options, body: `{"${wrong[0]}` }),
        `broken JSON of ${method} ${template}`,
      );
      expectNone(
        await setting.api.client(wrong[3]!, setting.logged.url).send(method, request.path, request.options),
        `the key of ${method} ${template}`,
      );
    }
    expect(refused).toBeGreaterThan(300);
  });

  it('come back in no refusal of the rules: an address that is taken, an option that there is none of', async () => {
    const answers = [
      await setting.everybody.post('/people', { work_email: textsOf('email')[0] }),
      await setting.everybody.get(`/${encodeURIComponent(wrong[1]!)}`),
      await setting.everybody.send('PUT', `/people/${encodeURIComponent(wrong[1]!)}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 404, 405]);
    for (const { text } of answers) expect(SEARCH.kindsIn(text)).toEqual([]);
    const own = { organisation: setting.organisation.row.id };
    const commands = [
      await setting.program.run('people set-personal', [setting.personId], {
        ...own,
        'date-of-birth': 'Middle-7319 Names',
        'personal-email': '+44 7700 918273',
      }),
      await setting.program.run('custom-fields set', [setting.personId], {
        ...own,
        value: `of_none=${textsOf('payroll')[0]}`,
      }),
    ];
    for (const { exitCode, stdout, stderr } of commands)
      expect([exitCode, SEARCH.kindsIn(stdout + stderr)]).toEqual([exitCodeOfSentence(stderr), []]);
  });

  it('come back in no refusal of a custom field that wants something else', async () => {
    const fields = new CustomFieldActions(setting.api, setting.organisation, { client: setting.everybody });
    const options = [{ value: 'a', label: 'A' }];
    for (const field_type of ['number', 'date', 'boolean', 'single_select'] as const) {
      const { id } = await fields.define(`wants_${field_type}`, {
        field_type,
        sensitivity: 'demographic',
        options: field_type === 'single_select' ? options : [],
      });
      for (const { text } of MARKERS) {
        if (field_type === 'date' && text === '1931-07-19') continue;
        const refused = await fields.write(setting.personId, [{ field_id: id, value: text }]);
        expect([field_type, refused.status, SEARCH.kindsIn(refused.text)]).toEqual([field_type, 400, []]);
        const ran = await setting.program.run('custom-fields set', [setting.personId], {
          organisation: setting.organisation.row.id,
          value: `wants_${field_type}=${text}`,
        });
        expect([field_type, ran.exitCode, SEARCH.kindsIn(ran.stdout + ran.stderr)]).toEqual([field_type, 2, []]);
      }
    }
  });

  it('come back in no report of an import, but for what a row names somebody by who is not there', async () => {
    const references = ['email', 'staff_id'];
    const [name, , , email, staffId] = wrong;
    const files: Readonly<Record<string, string>> = {
      people: `work_email,first_name,start_date,contracted_weekly_minutes,manager\n${name},${name},${name},${name},${email}\nx@example.com,${'y'.repeat(300)}${name},2026-01-01,1,${staffId}x\n`,
      'employment-history': `work_email,action,start_date,job_title\nnot.${email},change,2026-01-01,x\n${email},change,${name},x\n`,
      'time-off': `work_email,category,start_date,end_date\nnot.${email},x,2026-01-01,2026-01-01\n${email},x,${name},2026-01-01\n`,
      locations: `label,address_line_1,city,country,capacity\nx,y,z,${name},${email}\n`,
    };
    for (const [what, text] of Object.entries(files)) {
      const file = join(setting.directory, `${what}.csv`);
      await writeFile(file, text);
      for (const json of [null, true]) {
        const ran = await setting.program.run(`import ${what}`, [file], {
          organisation: setting.organisation.row.id,
          json,
        });
        const kinds = SEARCH.kindsIn(ran.stdout + ran.stderr).filter((kind) => !references.includes(kind));
        expect([what, ran.exitCode, kinds]).toEqual([what, 1, []]);
      }
    }
  });
});

describe('the log', () => {
  it('of all these requests has none of them, though it says everything it can', () => {
    expect(setting.logged.said()).toContain('"msg":"answered"');
    expect(setting.logged.said().split('\n').length).toBeGreaterThan(500);
    expect(SEARCH.kindsIn(setting.logged.said())).toEqual([]);
    expect(setting.logged.said()).not.toContain(setting.organisation.apiKey);
  });

  it('has none of them either where the database refuses a row and quotes it, in a request or behind one', async () => {
    const { pool } = setting.api.database;
    await pool.query("alter table people add constraint narrow check (first_name not like 'Zarathustra%') not valid");
    const person = `/people/${setting.personId}`;
    const headers = {
      authorization: `Bearer ${setting.organisation.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': 'refused',
      'if-match': tagOf(await setting.everybody.get(person)),
    };
    const failed = await fetch(`${setting.logged.url}/api/v1${person}`, {
      method: 'PATCH',
      headers,
      body: JSON.stringify({ staff_id: 'ZARA-STAFF-7319 II' }),
    });
    expect([failed.status, SEARCH.kindsIn(await failed.text())]).toEqual([500, []]);
    await pool.query('delete from people where person_id = $1', [setting.personId]);
    const worker = await startTestWorker(setting.api.database, { logger: setting.logged.logger });
    try {
      while (!setting.logged.said().includes('background work failed')) await pause(20);
    } finally {
      await worker.stop();
    }
    expect(setting.logged.said()).toContain('narrow');
    expect(SEARCH.kindsIn(setting.logged.said())).toEqual([]);
  });
});
