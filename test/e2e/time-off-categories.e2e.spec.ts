import { type ApiAnswer, type SendOptions } from '../support/api/http-client.js';
import { TestApi } from '../support/api/test-api.js';
import type { Schemas } from '../support/api/shapes.js';

type Category = Schemas['TimeOffCategoryResponse'];

const api = TestApi.forSpec();
const organisation = api.organisationForSpec();

const PATH = '/time-off/categories';
const post = (body: object, options?: SendOptions): Promise<ApiAnswer<Category>> =>
  organisation.client.post<Category>(PATH, body, options);

describe('POST /time-off/categories', () => {
  it('makes one of racing categories of the same label', async () => {
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => post({ label: 'Jury service' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });
});
