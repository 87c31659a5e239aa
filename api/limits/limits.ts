/**
 * The API's limits, some per process, some for all processes together. They are generous: they guard against
 * accidents and attacks.
 */
export const DEFAULT_LIMITS = {
  bodyBytesInFlight: 128 * 1024 * 1024,
  bodyBytesOfCaller: 32 * 1024 * 1024,
  /** A quarter of the connections. A request counts from its headers until body and answer are complete. */
  requestsInProgressOfErp: 256,
  /** Fewer: each may hold a page, or count what is pending in MongoDB. */
  requestsInProgressOfCustomer: 32,
  connectionsOfAddress: 256, // of 1,024; browsers of one cellular network share an address
  /** The same where a proxy has the connections: a request counts as above, by the address that the proxy forwards. */
  requestsInProgressOfAddress: 256,
  /** Forms have a budget of their own, so that many large forms cannot keep out pushes. */
  formBytesInFlight: 16 * 1024 * 1024,
  /** The owner is an operator's session, a customer, all visits of one proven phone, or an address without either. */
  formBytesOfOwner: 2 * 1024 * 1024, // the largest form, tapped twice
  failedAuthenticationsPerMinute: 300, // an address
  requestsOfAddressPerMinute: 30_000, // before any token is looked up; many ERPs may share an address
  requestsPerMinute: 6_000, // an integration or a channel
  visitsPerMinute: 1_200, // an address, which a whole cellular network may share
  strayRequestsPerMinute: 1_200, // an address: documents, downloads, and paths that are none
  linesOfStrangerPerMinute: 300, // an address, in the log; further requests are counted
};

export type Limits = typeof DEFAULT_LIMITS;
