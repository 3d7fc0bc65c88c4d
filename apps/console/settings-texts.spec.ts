import { readFileSync } from 'node:fs';
import { FORM_FACTS } from '../api/console/settings/form-facts.js';

const { fields, choices } = JSON.parse(
  readFileSync('apps/console/src/screens/settings/messages/en.json', 'utf8'),
) as Readonly<Record<'fields' | 'choices', Readonly<Record<string, Readonly<Record<string, string>>>>>>;

describe.each(Object.entries(FORM_FACTS))('the texts of the form of %s', (form, facts) => {
  it('name every field, and no other', () => {
    expect(Object.keys(fields[form]!).sort()).toEqual(facts.map(({ name }) => name).sort());
  });

  it('have words for every choice', () => {
    for (const { name, values = [] } of facts)
      expect([name, Object.keys(choices[name] ?? {})]).toEqual([name, expect.arrayContaining([...values])]);
  });
});
