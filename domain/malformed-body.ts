/** A body that is not strict JSON: answered 400 `MALFORMED_BODY` (docs/contract.md A7). The message never quotes a value. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody';
}
