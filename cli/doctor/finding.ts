/** One line of `gdx doctor`: what was looked at, how it is, and what to do about it. */
export interface Finding {
  status: 'ok' | 'warn' | 'fail';
  part: string;
  finding: string;
  fix: string | null;
}

export const ok = (part: string, finding: string): Finding => ({ status: 'ok', part, finding, fix: null });
export const warn = (part: string, finding: string, fix: string): Finding => ({
  status: 'warn',
  part,
  finding,
  fix,
});
export const fail = (part: string, finding: string, fix: string): Finding => ({
  status: 'fail',
  part,
  finding,
  fix,
});
