import { type Static, Type } from '@sinclair/typebox';
import { Ajv2020 } from 'ajv/dist/2020';
import { CliError, EXIT } from '../cli-error';

const text = Type.Optional(Type.String());
const REFUSAL = Type.Object({
  code: text,
  message: text,
  request_id: text,
  validation_messages: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
});
type Refusal = Static<typeof REFUSAL>;
const isRefusal = new Ajv2020().compile<Refusal>(REFUSAL);

/** The service's error in the body of an answer; empty where it is another one, as of a proxy. */
export const refusalIn = (body: unknown): Refusal => (isRefusal(body) ? body : {});

/** Makes an error of the service's own message. @param advice by the code of the error */
export function serviceRefusal(
  { status, body }: { status: number; body: unknown },
  advice: Readonly<Record<string, string>>,
): CliError {
  const { code = '', message = `answered ${status}`, request_id } = refusalIn(body);
  const about = request_id ? ` (request ${request_id})` : '';
  return new CliError(
    `the service: ${message}${about}`,
    advice[code] ?? 'check the address of the service',
    EXIT.failed,
  );
}
