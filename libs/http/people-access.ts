/**
 * How an operation treats people for the roles that see people by relation (`ROLES_BY_RELATION`). An
 * operation without it refuses these roles.
 */
export interface PeopleAccess {
  /**
   * The people whom the operation reads or changes for such a role. `none`: it contains nothing about people.
   * `oneself`: the person of the user. `sight`: the person of the user and, for a manager, their reports.
   * `reports`: the reports of a manager without the manager.
   */
  readonly of: 'none' | 'oneself' | 'sight' | 'reports';
  /**
   * Whether reports are in sight only for a read as of one day (`as_of`), because the response contains the
   * whole history otherwise.
   */
  readonly needsDay?: true;
  /**
   * Whether it calculates from all time off of a person, including days before the person reported to the
   * manager, and returns only the sum.
   */
  readonly sumsTimeOff?: true;
}
