/** The elevator of the specification (2.4), every field present; empty text where the spec says it may be empty. */
export interface SpecElevator {
  id: string;
  name: string;
  address_line_1: string;
  address_line_2: string;
  city: string;
  state: string;
  zip_code: string;
  phone: string;
  fax: string;
  email: string;
  website: string;
  cash_bids_hidden: boolean;
  push_notifications_hidden: boolean;
  deleted_at: string | null;
  version: string;
}

export const SPEC_ELEVATOR: SpecElevator = {
  id: '100',
  name: 'Prairie Co-op Casselton',
  address_line_1: '210 Railroad Ave',
  address_line_2: '',
  city: 'Casselton',
  state: 'ND',
  zip_code: '58012',
  phone: '+17015550100',
  fax: '',
  email: 'casselton@prairie-coop.example',
  website: 'https://www.prairie-coop.example/casselton',
  cash_bids_hidden: false,
  push_notifications_hidden: false,
  deleted_at: null,
  version: '1.0.0',
};
