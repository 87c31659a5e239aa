/** An address without slashes at its end, so that a path can be added. */
export const withoutEndSlashes = (address: string): string => address.replace(/(?<!\/)\/+$/, '');
