/** The document of `--json`, the only output on stdout. Lists are `{ "data": [...] }`, as in the API. */
export function printJson(document: object): void {
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}
