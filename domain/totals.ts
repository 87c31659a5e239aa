/** What a delivery has achieved so far. */
export interface Totals {
  pages: number;
  records: number;
  bytes: number;
  /** Records that the customer refused one by one, and the requests it took to find them (delivery, "Answers"). */
  set_aside: number;
  probes: number;
}

export const NOTHING_YET: Readonly<Totals> = { pages: 0, records: 0, bytes: 0, set_aside: 0, probes: 0 };
