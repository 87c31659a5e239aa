/** One line of `gdx doctor`: the part, its state and the fix. */
export interface DoctorFinding {
  status: 'ok' | 'warn' | 'fail';
  part: string;
  finding: string;
  fix: string | null;
}

export const ok = (part: string, finding: string): DoctorFinding => ({
  status: 'ok',
  part,
  finding,
  fix: null,
});
export const warn = (part: string, finding: string, fix: string): DoctorFinding => ({
  status: 'warn',
  part,
  finding,
  fix,
});
export const fail = (part: string, finding: string, fix: string): DoctorFinding => ({
  status: 'fail',
  part,
  finding,
  fix,
});
