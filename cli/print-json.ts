/** The one document of `--json`; nothing else goes to stdout then. Lists are `{ "data": [...] }`, as in the API. */
export function printJson(document: object): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}
