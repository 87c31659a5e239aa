import { errors } from 'undici';
import type { Answer } from '../domain/classify-answer';
import { tlsErrorKind } from '../domain/tls-error';
import { InterimFlood } from '../outbound/interim-answers';
import type { CustomerLimits } from './create-agent';
import { BlockedAddress } from './guarded-connector';
import { NotTunnelled } from './open-tunnel';

type NoAnswer = Extract<Answer, { status: null }>;

const NOT_REACHED = /^E(HOST|NET)(UNREACH|DOWN)$|^EADDRNOTAVAIL$|^ETIMEDOUT$/;
const NO_NAME = /^(ENOTFOUND|EAI_\w+|ENODATA)$/;

/** Why a page got no response, as words that follow the customer's name (docs/contract.md O1). */
export function noAnswer(error: unknown, late: boolean, limits: CustomerLimits): NoAnswer {
  const { code, message } = error as NodeJS.ErrnoException;
  const because = (problem: NoAnswer['problem'], detail: string): NoAnswer => ({
    status: null,
    problem,
    detail,
  });
  if (error instanceof BlockedAddress) return because('blocked', `has a base URL that ${message}`);
  if (error instanceof NotTunnelled) return because('unreachable', error.message);
  if (error instanceof InterimFlood) return because('unreachable', error.message);
  if (error instanceof errors.ConnectTimeoutError)
    return because('timeout', `could not be reached within ${seconds(limits.connectMs)}`);
  if (late || error instanceof errors.HeadersTimeoutError)
    return { ...because('timeout', `did not answer within ${seconds(limits.requestMs)}`), reached: true };
  const name = code ?? (error as Error).name;
  if (error instanceof errors.HeadersOverflowError)
    return because('unreachable', `answered with more than ${limits.headerBytes / 1024} KB of headers`);
  if (error instanceof errors.HTTPParserError)
    return because('unreachable', `answered with something that is not HTTP (${name})`);
  const tls = tlsErrorKind(name);
  if (tls === 'certificate') return because('tls', `has a TLS certificate that is not valid (${name})`);
  if (tls) return because('tls', `does not speak TLS as it should (${name})`);
  if (name === 'ECONNREFUSED') return because('unreachable', 'refused the connection');
  if (NOT_REACHED.test(name)) return because('unreachable', `could not be reached (${name})`);
  if (NO_NAME.test(name)) return because('unreachable', 'has a name that does not resolve');
  const closed = because('unreachable', `closed the connection before its answer was complete (${name})`);
  return { ...closed, reached: true };
}

const seconds = (ms: number) => `${ms / 1_000} s`;
