import { isGrpcServiceError } from '@temporalio/client';

/** The outcome of a call to Temporal by gRPC status code. */
export const isNotFound = (error: unknown) => hasCode(error, 5);
export const isThereAlready = (error: unknown) => hasCode(error, 6);
/** Permission denied or unimplemented, as on Temporal Cloud, where namespaces are made elsewhere. */
export const isDenied = (error: unknown) => hasCode(error, 7, 12);
export const isInvalidArgument = (error: unknown) => hasCode(error, 3);

function hasCode(error: unknown, ...codes: number[]): boolean {
  return isGrpcServiceError(error) && codes.includes(error.code);
}

// UNKNOWN, DEADLINE_EXCEEDED, PERMISSION_DENIED, RESOURCE_EXHAUSTED, INTERNAL, UNAVAILABLE, DATA_LOSS, UNAUTHENTICATED. The other
// codes are answers.
const FAILED = [2, 4, 7, 8, 13, 14, 15, 16];

/** Whether Temporal did not do what it was asked for, for a reason that is not in the request. */
export const isFailedCall = ({ code }: { code: number }) => FAILED.includes(code);
