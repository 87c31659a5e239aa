/** This release and this database do not match; retrying does not help, following the advice does. */
export class StoreMismatch extends Error {
  override name = 'StoreMismatch';

  constructor(
    readonly problem: string,
    readonly advice: string,
  ) {
    super(`${problem}; ${advice}`);
  }
}
