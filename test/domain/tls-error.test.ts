import { tlsErrorKind } from '../../domain/settings/tls-error';

test.each([
  ['CERT_HAS_EXPIRED', 'certificate'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'handshake'],
  ['EPROTO', 'handshake'],
  ['ECONNREFUSED', undefined],
])('%s: %s', (code, kind) => expect(tlsErrorKind(code)).toBe(kind));
