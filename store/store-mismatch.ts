/** This release and this database do not fit; trying again does not help, the advice does. */
export class StoreMismatch extends Error {
  override name = 'StoreMismatch';

  constructor(
    readonly problem: string,
    readonly advice: string,
  ) {
    super(`${problem}; ${advice}`);
  }
}
