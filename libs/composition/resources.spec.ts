import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';
import { AGGREGATES, PROJECTIONS } from './registry.js';
import { RESOURCES, SANDBOX_RESOURCES } from './resources.js';

const CATEGORIES = AGGREGATES.map(({ category }) => category);

describe('the declarations of all resources', () => {
  it('name each category of streams once', () => expect([...new Set(CATEGORIES)]).toEqual(CATEGORIES));

  it('name each read table once', () => {
    const tables = PROJECTIONS.flatMap((projection) => projection.tables.map(({ name }) => name));
    expect([...new Set(tables)]).toEqual(tables);
  });

  it('declare the aggregate of every stream that is projected', () => {
    const projected = PROJECTIONS.flatMap(({ streams }) => streams.map(({ category }) => category));
    expect(projected.filter((category) => !CATEGORIES.includes(category))).toEqual([]);
  });

  it('project or publish the events of every aggregate', () => {
    const projected = new Set(PROJECTIONS.flatMap(({ streams }) => streams.map(({ category }) => category)));
    const unused = AGGREGATES.filter(
      ({ category, publishedAs }) => !projected.has(category) && publishedAs === undefined,
    );
    expect(unused).toEqual([]);
  });

  it('publish every webhook event of the contract but the test event', () => {
    const published = AGGREGATES.flatMap(({ publishedAs = {} }) =>
      Object.values(publishedAs)
        .filter((types) => typeof types !== 'function')
        .flat(),
    );
    expect([...new Set(published)].sort()).toEqual(
      Object.keys(WEBHOOK_EVENTS)
        .filter((type) => type !== 'webhook.test')
        .sort(),
    );
  });

  it('contain no resource without tables, aggregates, routes or handlers of commands', () => {
    const empty = [...RESOURCES, ...SANDBOX_RESOURCES].filter(
      ({ tables = [], aggregates = [], controllers = [], handlers = [] }) =>
        tables.length + aggregates.length + controllers.length + handlers.length === 0,
    );
    expect(empty).toEqual([]);
  });
});
