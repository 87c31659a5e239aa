export const LONGEST_COMPANY_ID = 64;

const COMPANY_ID = new RegExp(`^[A-Za-z0-9_.]{1,${LONGEST_COMPANY_ID}}$`);

/**
 * Whether a text can be a company's id. A `-` is not allowed, because a stored id is `<company_id>-<remote_id>`:
 * company `42` with record `7-1` and company `42-7` with record `1` would be the same document.
 */
export function isCompanyId(text: string): boolean {
  return COMPANY_ID.test(text);
}

const PREFIX = 'test.';

/**
 * The company of `gdx sandbox`. Its id begins with `test.`, and so do the ids of its records and references.
 * A slug has no `_`, so no two channels share a company.
 */
export const testCompanyOf = (slug: string) => ({
  id: `${PREFIX}${slug.replaceAll('-', '_')}`,
  name: `TEST company of ${slug}`,
});

export const isTestCompany = (companyId: string) => companyId.startsWith(PREFIX);
