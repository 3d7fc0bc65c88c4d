const { options } = require('./.dependency-cruiser.cjs');

/**
 * No circles between folders of the product. Specs and test support may import from anywhere, so they are
 * left out.
 */
module.exports = {
  forbidden: [
    {
      name: 'no-folder-circles',
      comment: 'Two folders that need each other are one folder, or hide a third.',
      scope: 'folder',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: { ...options, exclude: { path: ['^node_modules/', '\\.spec\\.ts$', '^test/'] } },
};
