/**
 * The modules of single decorators, which the package does not type. Its entry loads all others too, and the
 * world's telephone numbers with them.
 */
declare module 'class-validator/cjs/*' {
  export * from 'class-validator';
}
