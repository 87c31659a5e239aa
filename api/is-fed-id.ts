// `<company_id>-<remote_id>`: 64 and 128 characters.
export const MOST_CHARACTERS = 193;

/** Whether it can be an id as the feed shows it. */
export const isFedId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && Array.from(value).length <= MOST_CHARACTERS;
