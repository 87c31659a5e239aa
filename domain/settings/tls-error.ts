// OpenSSL and Node have many codes for a bad certificate. The customer has to fix all of them; none passes by itself.
const BAD_CERTIFICATE =
  /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH/;
const BAD_TLS = /SSL|TLS|EPROTO/;

/** The kind of TLS error that an error code stands for, if any. */
export function tlsErrorKind(code: string): 'certificate' | 'handshake' | undefined {
  if (BAD_CERTIFICATE.test(code)) return 'certificate';
  return BAD_TLS.test(code) ? 'handshake' : undefined;
}
