import { workflowInfo } from '@temporalio/workflow';

// A replay reads the whole history. Above the first limit, the channel continues as new as soon as no delivery is
// open; above the second, nothing more is planned, and open deliveries are asked to hand back.
const LONG = 120;
const TOO_LONG = 1_000;

const isAbove = (limit: number) =>
  workflowInfo().historyLength > limit || workflowInfo().continueAsNewSuggested;

export const isLong = () => isAbove(LONG);
export const isTooLong = () => isAbove(TOO_LONG);
