/**
 * The modules of single decorators, for which the package has no types. Its entry point would load all the
 * others, including the metadata of telephone numbers.
 */
declare module 'class-validator/cjs/*' {
  export * from 'class-validator';
}
