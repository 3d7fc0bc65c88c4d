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

/** Generated files, and those whose texts have not been broken yet. */
const WIDE = ['libs/client/generated/**', '**/*.spec.ts', 'test/**', 'apps/api/**', 'apps/cli/**', 'libs/http/**'];

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
    // Prettier breaks code and leaves texts as they are. Templates hold SQL of released migrations, whose
    // checksum is fixed, pages and scripts.
    files: ['**/*.ts', '**/*.mjs', '**/*.cjs', '**/*.js'],
    ignores: WIDE,
    rules: {
      'max-len': [
        'error',
        { code: 120, comments: 110, ignoreUrls: true, ignoreRegExpLiterals: true, ignoreTemplateLiterals: true },
      ],
    },
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
