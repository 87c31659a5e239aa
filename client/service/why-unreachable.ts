import { tlsErrorKind } from '../../domain/settings/tls-error';
import type { OfProxy } from '../../outbound/send-request';
import { CliError, EXIT } from '../cli-error';

const TRUST =
  'if it is of your company’s own authority, or of a proxy that reads along, set NODE_EXTRA_CA_CERTS to the PEM file of that authority; otherwise ask the operator';

/** Why a certificate is not taken, and the cure. The first that matches. */
const CERTIFICATES: [code: RegExp, why: string, cure: string][] = [
  [
    /^CERT_HAS_EXPIRED$/,
    'has expired',
    'check the clock of this machine; otherwise the operator has to renew it',
  ],
  [/^CERT_NOT_YET_VALID$/, 'is not valid yet', 'check the clock of this machine'],
  [/ALTNAME|HOSTNAME_MISMATCH/, 'is of another host', 'check the host in --url'],
  [/^DEPTH_ZERO_SELF_SIGNED/, 'is self-signed: no authority has issued it', TRUST],
  [/^SELF_SIGNED_CERT_IN_CHAIN$/, 'is of an authority that this machine does not know', TRUST],
  [
    /UNABLE_TO/,
    'is of an issuer that this machine does not know, or comes without that of its issuer',
    TRUST,
  ],
  [/^CERT_REVOKED$/, 'was revoked', 'ask the operator'],
];

const OTHERWISE: (typeof CERTIFICATES)[number] = [/^/, 'is not valid', TRUST];

/**
 * Explains a request that no later one can mend: an unknown host, no TLS where https is said, a certificate that is not
 * trusted, a proxy that refuses.
 * @returns undefined for what may pass by itself
 */
export function whyUnreachable(url: string, error: unknown): CliError | undefined {
  const { origin } = new URL(url);
  const { code = '', proxy } = error as NodeJS.ErrnoException & OfProxy;
  const unavailable = (problem: string, advice: string) => new CliError(problem, advice, EXIT.unavailable);
  if (code === 'ENOTFOUND')
    return proxy
      ? unavailable(`the proxy ${proxy.host} is not found (${code})`, `check ${proxy.settings}`)
      : unavailable(
          `there is no such service at ${origin} (${code})`,
          'check the host in --url; behind a proxy set HTTPS_PROXY',
        );
  if (proxy && proxy.status !== undefined && proxy.status >= 400 && proxy.status < 500)
    return unavailable(
      `the proxy ${proxy.host} refused ${origin} (${proxy.status})`,
      proxy.status === 407
        ? `give its user and password in ${proxy.settings}, as http://user:password@proxy.example:3128`
        : cureOf(proxy),
    );
  const at = proxy ? `the proxy ${proxy.host}` : origin;
  const kind = tlsErrorKind(code);
  if (kind === 'certificate') {
    const [, why, cure] = CERTIFICATES.find(([known]) => known.test(code)) ?? OTHERWISE;
    return unavailable(`the certificate of ${at} ${why} (${code})`, cure);
  }
  return /^ERR_SSL_|^ERR_TLS_|^EPROTO$/.test(code)
    ? unavailable(
        `${at} does not speak TLS (${code})`,
        `check http or https and the port in ${proxy?.settings ?? '--url'}`,
      )
    : undefined;
}

const cureOf = ({ settings, status }: NonNullable<OfProxy['proxy']>) =>
  `${status === undefined ? `check ${settings}` : `ask whoever runs the proxy that ${settings} ${settings.includes(' ') ? 'name' : 'names'}`}, or name the host in NO_PROXY`;

/** Who gave no answer to a request that may be tried again, and what to do where it is not the service. @param word `wordFor` the error */
export function whyNoAnswer(error: unknown, word: string): { why: string; cure?: string } {
  const { proxy } = error as OfProxy;
  if (!proxy) return { why: `the service does not answer (${word})` };
  const { host, status } = proxy;
  const what = status === undefined ? `does not answer (${word})` : `answers ${status}`;
  return { why: `the proxy ${host} ${what}`, cure: cureOf(proxy) };
}
