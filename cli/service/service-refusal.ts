import { CliError, EXIT } from '../cli-error';

/** Makes an error of the service's own message. @param advice by the code of the error */
export function serviceRefusal(
  { status, body }: { status: number; body: unknown },
  advice: Readonly<Record<string, string>>,
): CliError {
  const { code = '', message = `answered ${status}`, request_id } = (body ?? {}) as Record<string, string>;
  const about = request_id ? ` (request ${request_id})` : '';
  return new CliError(
    `the service: ${message}${about}`,
    advice[code] ?? 'check the address of the service',
    EXIT.failed,
  );
}
