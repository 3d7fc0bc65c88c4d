/** The page with the reader of the OpenAPI document. */
export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Workforce HR Public API</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/reader.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

/** Colours with a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3), which some of the reader's own lack. */
const COLOURS = `
.light-mode { --scalar-color-2: #4a4a4a; --scalar-color-3: #5c5c5c; --scalar-color-ghost: #5c5c5c; --scalar-color-green: #05603a; --scalar-color-blue: #0a5597;
  --scalar-color-orange: #8a4b00; --scalar-color-red: #a3161d; --scalar-color-yellow: #735c00; --scalar-color-purple: #5b21b6; --scalar-sidebar-color-2: #4a4a4a;
  --scalar-sidebar-search-color: #5c5c5c; --scalar-color-accent: #0a5597; --scalar-link-color: #0a5597; }
.dark-mode { --scalar-color-2: #c4c4c4; --scalar-color-3: #a8a8a8; --scalar-color-ghost: #a8a8a8; --scalar-sidebar-color-2: #c4c4c4; --scalar-sidebar-search-color: #a8a8a8; --scalar-color-red: #ff8080; }
`;

/**
 * Starts the reader. Each writing request gets an idempotency key of its own, unless the user typed one.
 * `mend` adds missing names and roles whenever the reader renders.
 */
export const START = `Scalar.createApiReference('#reference', {
  url: '/api/v1/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  mcp: { disabled: true },
  agent: { disabled: true },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  customCss: ${JSON.stringify(COLOURS)},
  onBeforeRequest({ request }) {
    if (request.method !== 'GET' && !request.headers.get('Idempotency-Key')) request.headers.set('Idempotency-Key', crypto.randomUUID());
  },
});

function mend() {
  for (const button of document.querySelectorAll('button[aria-selected]:not([role="tab"]):not([role="option"])')) {
    if (button.getAttribute('aria-selected') === 'true') button.setAttribute('aria-current', 'true');
    else button.removeAttribute('aria-current');
    button.removeAttribute('aria-selected');
  }
  for (const button of document.querySelectorAll('button[role="search"]')) button.removeAttribute('role');
  // An aside is no navigation, and cards without a name are no landmarks.
  for (const element of document.querySelectorAll('aside[role="navigation"], .scalar-card[role="region"]')) element.removeAttribute('role');
  // Next to its tabs the list of languages has a button that opens a menu, which no tab list may have.
  for (const list of document.querySelectorAll('[role="tablist"]')) {
    if ([...list.children].every((child) => child.matches('[role="tab"]'))) continue;
    list.setAttribute('role', 'group');
    list.removeAttribute('aria-orientation');
    for (const tab of list.querySelectorAll('[role="tab"]')) tab.setAttribute('role', 'button');
  }
  for (const button of document.querySelectorAll('button')) {
    const text = (button.innerText || '').trim();
    const label = button.getAttribute('aria-label');
    if (text === '' && !label && !button.getAttribute('aria-labelledby') && !button.title) button.setAttribute('aria-label', nameOf(button));
    else if (text !== '' && label && !label.toLowerCase().includes(text.toLowerCase())) button.setAttribute('aria-label', text + ': ' + label);
  }
  for (const region of document.querySelectorAll('.endpoints, .custom-scroll, pre, .scalar-card-content')) {
    if (region.tabIndex < 0 && region.scrollHeight + region.scrollWidth > region.clientHeight + region.clientWidth) region.tabIndex = 0;
  }
}

function nameOf(button) {
  if (button.matches('[aria-expanded]')) return 'More';
  return button.closest('[aria-label]')?.getAttribute('aria-label') ?? 'Options';
}

let isDue = false;
new MutationObserver(() => {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    mend();
  });
}).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-selected', 'aria-label', 'role'] });
`;
