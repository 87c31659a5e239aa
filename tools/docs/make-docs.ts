import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../local/checkout';
import { commandTable } from './command-table';
import { recordsPage } from './records-page';

const OPERATOR = 'docs/operator.md';
const fileOf = (page: string) => path.join(checkout, page);

/** What is made of a page that people write: between two comments. */
export const MADE =
  /(?<=<!-- Made by: npx tsx tools\/docs\/make-docs\.ts -->\n\n)[^]*(?=\n\n<!-- Made so far -->)/;

/** The pages that are made from the code, whole or in part, by their path. */
export async function madePages(): Promise<Record<string, string>> {
  const table = await commandTable();
  return {
    'docs/records.md': recordsPage(),
    [OPERATOR]: readFileSync(fileOf(OPERATOR), 'utf8').replace(MADE, () => table),
  };
}

// After a change of a schema or of a command: npx tsx tools/docs/make-docs.ts
if (require.main === module)
  void madePages().then((pages) => {
    for (const [page, text] of Object.entries(pages)) writeFileSync(fileOf(page), text);
  });
