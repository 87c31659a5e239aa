import { tlsErrorKind } from '../../domain/tls-error';
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
  const { code = '', message, hostname } = error as NodeJS.ErrnoException & { hostname?: string };
  const unavailable = (problem: string, advice: string) => new CliError(problem, advice, EXIT.unavailable);
  if (code === 'ENOTFOUND')
    return hostname === undefined || isHostOf(url, hostname)
      ? unavailable(
          `there is no such service at ${origin} (${code})`,
          'check the host in --url; behind a proxy set HTTPS_PROXY',
        )
      : unavailable(`the proxy ${hostname} is not found (${code})`, 'check HTTPS_PROXY and HTTP_PROXY');
  const [, status] = /^Proxy response \((4\d\d)\)/.exec(message) ?? [];
  if (status)
    return unavailable(
      `the proxy refused ${origin} (${status})`,
      status === '407'
        ? 'give its user and password: HTTPS_PROXY=http://user:password@proxy.example:3128'
        : 'ask whoever runs the proxy, or name the host in NO_PROXY',
    );
  const kind = tlsErrorKind(code);
  if (kind === 'certificate') {
    const [, why, cure] = CERTIFICATES.find(([known]) => known.test(code)) ?? OTHERWISE;
    return unavailable(`the certificate of ${origin} ${why} (${code})`, cure);
  }
  return /^ERR_SSL_|^ERR_TLS_|^EPROTO$/.test(code)
    ? unavailable(`${origin} does not speak TLS (${code})`, 'check http or https and the port in --url')
    : undefined;
}

const isHostOf = (url: string, host: string) => new URL(url).hostname.toLowerCase() === host.toLowerCase();
