/** One line of `gdx doctor`: the part, its state and the fix. */
export interface DoctorFinding {
  status: 'ok' | 'warn' | 'fail';
  part: string;
  finding: string;
  fix: string | null;
}

const judge =
  <F extends string | null>(status: DoctorFinding['status']) =>
  (part: string, finding: string, fix: F): DoctorFinding => ({ status, part, finding, fix });

export const ok = (part: string, finding: string): DoctorFinding => judge('ok')(part, finding, null);
export const warn = judge<string>('warn');
export const fail = judge<string>('fail');
