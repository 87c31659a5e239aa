import { say } from '../pages/said';
import type { FarmerDeps, SessionContext } from './farmer-state';

/** Answers a form with what is wrong in it. What was typed stays in the session. */
export const sayProblem = (
  ctx: SessionContext,
  { farmer }: FarmerDeps,
  page: string,
  problem: string,
): void => say(ctx, farmer, page, problem);

/** What was wrong in the form before, if it is one of these. */
export function problemIn<P extends string>(ctx: SessionContext, problems: readonly P[]): P | undefined {
  const [said] = ctx.state.said ?? [];
  return problems.find((problem) => problem === said);
}
