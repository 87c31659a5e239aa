import { goTo } from '../pages/answer-page';
import type { SessionContext } from './farmer-state';

/**
 * Answers a form by 303 with what is wrong in it, so that the browser's Back never has to post a form again. The word is not
 * secret; what was typed stays in the session.
 */
export function sayProblem(ctx: SessionContext, page: string, problem: string): void {
  goTo(ctx, `${page}?problem=${problem}`);
}

/** The problem that this address names, if it is one of these. */
export function problemIn<P extends string>(ctx: SessionContext, problems: readonly P[]): P | undefined {
  const named = ctx.query['problem'];
  return problems.find((problem) => problem === named);
}
