// What tests call of the samples, which are plain JavaScript.
declare module '*/verify-signature.cjs' {
  export function whyNotGenuine(
    secret: string,
    headers: { id: string; timestamp: string; signature: string },
    body: Buffer,
    nowSeconds?: number,
  ): string | undefined;
}
declare module '*/verify-v1a.cjs' {
  export function whyNotSigned(
    publicKey: string,
    headers: { id: string; timestamp: string; signature: string },
    body: Buffer,
    nowSeconds?: number,
  ): string | undefined;
}
declare module '*/sign-link.cjs' {
  export function signedLink(page: string, key: string, values: string[]): string;
}
