/** The range of ids that holds all of one company's and no other: a company's id has no `-`, and `.` follows it. */
export const idsOfCompany = (company: string) => ({ from: `${company}-`, to: `${company}.` });

/** For a walk over several companies in the order of ids. */
export const byFirstId = (one: { from: string }, other: { from: string }) => (one.from < other.from ? -1 : 1);
