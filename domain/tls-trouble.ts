// OpenSSL and Node name a bad certificate in many ways; all of them are for the customer to mend, none passes.
const BAD_CERTIFICATE =
  /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH/;
const BAD_TLS = /SSL|TLS|EPROTO/;

/** What an error's code says of TLS: its certificate does not hold, or the handshake fails otherwise. */
export function tlsTrouble(code: string): 'certificate' | 'handshake' | undefined {
  if (BAD_CERTIFICATE.test(code)) return 'certificate';
  return BAD_TLS.test(code) ? 'handshake' : undefined;
}
