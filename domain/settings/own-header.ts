/** A header that a customer wants with every page, such as the key of a gateway in front of its endpoint. */
export interface OwnHeader {
  name: string;
  value: string;
}

export const MOST_HEADERS = 10;

// Names used by HTTP, the page and its signature; and Authorization, which has an option of its own.
const RESERVED =
  /^(?:accept|accept-encoding|authorization|connection|content-.*|cookie2?|date|expect|forwarded|host|http2-settings|keep-alive|proxy-.*|te|traceparent|tracestate|trailer|transfer-encoding|upgrade|user-agent|via|webhook-.*|x-channel-slug|x-delivery-id|x-entity-type|x-feed-.*|x-forwarded-.*|x-gdx-.*|x-request-id)$/i;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,998}[\x21-\x7e])?$/;

/** Reads `Name: value`. A problem never quotes the value. */
export function readOwnHeader(text: string): OwnHeader | { problem: string } {
  const [, name = '', rest = ''] = /^([^:]*):([^]*)$/.exec(text) ?? [];
  const value = rest.replace(/^[ \t]+/, '');
  if (!NAME.test(name)) return { problem: 'is not like X-Api-Key: value' };
  if (RESERVED.test(name)) return { problem: `names ${name}, which is set otherwise or not at all` };
  if (!VALUE.test(value)) return { problem: `gives ${name} no value of 1 to 1,000 visible ASCII characters` };
  return { name, value };
}
