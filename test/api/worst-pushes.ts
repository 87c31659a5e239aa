const MIB = 2 ** 20;
const MOST_BYTES = 16 * MIB - 1_000;
const MOST_OF_TEXT = 15 * MIB - 10_000; // of one record
// docs/contract.md A7, and a few for the record itself
const VALUES_OF_RECORD = 100_000 - 20;
const VALUES = 1_000_000 - 200;
const NAMES = 50_000 - 20;

/** A push of records that have this in a field nobody knows, `items` by `items`, as long as the limits and 16 MiB allow. */
function pushOf(item: (index: number) => string, valuesOfItem: number, fieldOf = inList): string {
  const items = Math.floor(VALUES_OF_RECORD / valuesOfItem);
  const records: string[] = [];
  for (let bytes = 0; records.length < Math.floor(VALUES / (items * valuesOfItem));) {
    const from = records.length * items;
    const record = fieldOf(Array.from({ length: items }, (_, index) => item(from + index)));
    bytes += record.length + 1;
    if (bytes > MOST_BYTES) break;
    records.push(record);
  }
  return `{"data":[{"update-accounts":{"accounts":[${records.map(worstRecordOf).join(',')}]}}]}`;
}
export const worstRecordOf = (field: string, index: number) => `{"id":"${index}","name":"M",${field}}`;
export const inList = (items: string[]) => `"x":[${items.join(',')}]`;
const inObjects = (items: string[]) =>
  inList(
    Array.from(
      { length: Math.floor(items.length / 1_000) },
      (_, of) => `{${items.slice(of * 1_000, of * 1_000 + 1_000).join(',')}}`,
    ),
  );
const word = (index: number) => index.toString(36);
const name = (index: number) => word(index % NAMES);
/** A push of one record that has this text in a field nobody knows. */
export const pushOfText = (text: string) =>
  `{"data":[{"update-accounts":{"accounts":[${worstRecordOf(`"x":"${text}"`, 1)}]}}]}`;

/** The worst that the limits of a push let through, by what they are full of (docs/contract.md A7, A8). */
export const WORST_PUSHES: Record<string, () => string> = {
  objects: () => pushOf(() => '{}', 2),
  'objects of other members each': () => pushOf((index) => `{"${name(index)}":1}`, 2),
  lists: () => pushOf(() => '[]', 2),
  'deep lists': () => pushOf(() => `${'['.repeat(20)}${']'.repeat(20)}`, 21),
  'deep objects': () => pushOf(() => `${'{"a":'.repeat(20)}1${'}'.repeat(20)}`, 21),
  members: () => pushOf((index) => `"${name(index)}":0`, 1, inObjects),
  'short texts': () => pushOf((index) => `"${word(index)}"`, 1),
  numbers: () => pushOf(() => '1.5', 1),
  'long numbers': () => pushOf(() => '9007199254740992', 1),
  'numbers with exponents': () => pushOf(() => '1.00000000000e308', 1),
  escapes: () => pushOfText('\\u0001'.repeat(MOST_OF_TEXT / 6)),
  'pairs of surrogates': () => pushOfText('\\ud83d\\ude00'.repeat(MOST_OF_TEXT / 12)),
  'one text': () => pushOfText('x'.repeat(MOST_OF_TEXT)),
  'texts of two and three bytes a character': () => pushOfText('a€'.repeat(MOST_OF_TEXT / 4)),
  phones: () =>
    pushOf(
      (index) => `{"phone":"${7_010_000_000 + index}"}`,
      2,
      (items) => `"phones":[${items.join(',')}]`,
    ),
  'fields that may be misspelt': () =>
    `{"data":[{"update-tickets":{"tickets":[${Array.from({ length: 1_000 }, (_, record) => `{"id":"${record}","account_id":"A",${Array.from({ length: 900 }, (_, index) => `"net_wi${name(record * 900 + index)}":1`).join(',')}}`).join(',')}]}}]}`,
  'many records': () =>
    `{"data":[{"update-accounts":{"accounts":[${Array.from({ length: 5_000 }, (_, index) => worstRecordOf(inList(Array.from({ length: 97 }, () => '{}')), index)).join(',')}]}}]}`,
};
