import owaspModule from '@stoplight/spectral-owasp-ruleset';
import { oas } from '@stoplight/spectral-rulesets';

const owasp = owaspModule.default ?? owaspModule;
const CORS = 'owasp:api8:2023-define-cors-origin';

/**
 * All rules of Spectral for OpenAPI, and all of its OWASP API Security rules (2023). Each exception has its
 * reason.
 */
export default {
  extends: [
    [oas, 'all'],
    [owasp, 'all'],
  ],
  rules: {
    // The contact is the page of the project. Each installation has an operator of its own, whom this
    // document cannot name.
    'contact-properties': 'off',
    // The order of tags is the order in which a newcomer needs them.
    'openapi-tags-alphabetical': 'off',
    // The rule looks at everything called `headers`, which includes a property of the webhook deliveries.
    // Only answers have CORS headers.
    [CORS]: { ...owasp.rules[CORS], given: '$.paths[*][*].responses[*].headers' },
  },
};
