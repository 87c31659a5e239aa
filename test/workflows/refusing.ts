import type { ReceivedPage, Reply } from '../setup/fake-customer';

/** Refuses each page with one of these. */
export const refusing =
  (...bad: number[]) =>
  ({ records }: ReceivedPage): Reply =>
    records.some(({ remote_id }) => bad.includes(Number(remote_id)))
      ? { status: 422, body: 'account 1 is not known here' }
      : 200;

/** The ids from 1 on, without these. */
export const upTo = (last: number, ...without: number[]) =>
  Array.from({ length: last }, (_, index) => index + 1).filter((id) => !without.includes(id));
