const PREFIX = 'test.';

/** The company of `gdx sandbox`: every record and reference of it begins with `test.`. A slug has no `_`, so no two share one. */
export const testCompanyOf = (slug: string) => ({
  id: `${PREFIX}${slug.replaceAll('-', '_')}`,
  name: `TEST company of ${slug}`,
});

export const isTestCompany = (companyId: string) => companyId.startsWith(PREFIX);
