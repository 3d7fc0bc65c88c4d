import tseslint from 'typescript-eslint';

const PURE = [
  'libs/kernel/**/*.ts',
  'libs/**/*.rules.ts',
  'libs/people/person/person.ts',
  'libs/people/employment/employment.ts',
  'libs/people/employment/employment-effect.ts',
  'libs/time-off/records/time-off.ts',
  'libs/people/employment/timeline.ts',
  'libs/people/employment/employment-as-of.ts',
  'libs/people/employment/compare-timelines.ts',
];

/** The maximum length of lines. Prettier breaks code and leaves texts as they are. */
const MAX_LENGTH = {
  code: 120,
  comments: 110,
  ignoreUrls: true,
  ignoreRegExpLiterals: true,
  // SQL of released migrations, whose checksum is fixed, pages and scripts.
  ignoreTemplateLiterals: true,
};

export default tseslint.config(
  { ignores: ['dist/**', 'libs/client/dist/**', 'node_modules/**', '.workforce/**', 'coverage/**'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    // Injection goes by what the decorators emit: a class that a constructor or a route takes is no mere
    // type.
    languageOptions: { parserOptions: { emitDecoratorMetadata: true, experimentalDecorators: true } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    // The domain is pure: ids, times and look-ups come in with the command.
    files: PURE,
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'setTimeout', 'setInterval', 'performance', 'crypto'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Time comes in with the command.' },
        { object: 'Math', property: 'random', message: 'Ids come in with the command.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
          message: 'Time comes in with the command.',
        },
      ],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['node:*', '@nestjs/*', 'pg', 'fastify'],
              message: 'The domain does no I/O and knows no framework.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'test/**/*.mjs', 'scripts/**/*.mjs'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.ts', '**/*.mjs', '**/*.cjs', '**/*.js'],
    ignores: ['libs/client/generated/**'],
    rules: { 'max-len': ['error', MAX_LENGTH] },
  },
  {
    // Titles of tests, and messages that they expect, stay whole, so that a search finds them.
    files: ['**/*.spec.ts', 'test/**'],
    rules: { 'max-len': ['error', { ...MAX_LENGTH, ignoreStrings: true }] },
  },
  {
    files: ['**/*.d.ts'],
    rules: { 'no-restricted-exports': 'off' },
  },
  {
    files: ['**/*.cjs'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
);
