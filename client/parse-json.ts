/** @returns undefined for text that is not JSON, such as a proxy's page */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
