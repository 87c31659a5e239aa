import { requireNamespace, runProgram } from '../setup/own-namespace';

/** A public address (a customer's must be), which is this machine's own inside the network of the rehearsal. */
export const PUBLIC_ADDRESS = '93.184.216.34';

/** @throws Error that says what is missing */
export function requireOwnNetwork(): void {
  requireNamespace('n');
  runProgram(['ip', '-V'], 'install iproute2 (`ip`)');
}

/** From inside: loopback, with the customer's address on it. There is no other network, so nothing leaves the machine. */
export function raiseLoopback(): void {
  const advice = 'the `ip` program cannot set up the network of the rehearsal';
  runProgram(['ip', 'link', 'set', 'lo', 'up'], advice);
  runProgram(['ip', 'address', 'add', `${PUBLIC_ADDRESS}/32`, 'dev', 'lo'], advice);
}
