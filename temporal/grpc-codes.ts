import { isGrpcServiceError, ScheduleNotFoundError } from '@temporalio/client';

/** Undefined where a call to Temporal failed because something does not exist. */
export async function unlessNotFound<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError || hasCode(error, 5)) return undefined;
    throw error;
  }
}

export const isThereAlready = (error: unknown) => hasCode(error, 6);
/**
 * Whether a call was not permitted or is not implemented. Temporal Cloud answers so, as its namespaces are
 * created by other means.
 */
export const isDenied = (error: unknown) => hasCode(error, 7, 12);
export const isInvalidArgument = (error: unknown) => hasCode(error, 3);

function hasCode(error: unknown, ...codes: number[]): boolean {
  return isGrpcServiceError(error) && codes.includes(error.code);
}

// UNKNOWN, DEADLINE_EXCEEDED, PERMISSION_DENIED, RESOURCE_EXHAUSTED, INTERNAL, UNAVAILABLE, DATA_LOSS, UNAUTHENTICATED.
// All other codes are proper answers.
const FAILED = [2, 4, 7, 8, 13, 14, 15, 16];

/** Whether Temporal failed a call for a reason that is not in the request. */
export const isFailedCall = ({ code }: { code: number }) => FAILED.includes(code);
