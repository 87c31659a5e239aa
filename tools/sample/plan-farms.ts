import { CORN, SOYBEANS, WHEAT, type Commodity } from './commodities';
import type { SampleAccount } from './generate-accounts';
import { GIVEN_NAMES, SURNAMES } from './people';
import { FIELD_NAMES, TOWNS } from './places';
import type { Random } from './random';
import type { SampleElevator } from './generate-elevators';

export interface Truck {
  name: string;
  license: string;
  driver: string;
  hauler: string;
  /** Pounds empty with a full tank, and the most it may weigh on the road. */
  emptyWeight: number;
  legalWeight: number;
}

export interface Field {
  id: string;
  name: string;
  farmNumber: string;
  tractNumber: string;
  fieldNumber: string;
  insuranceUnit: string;
}

export interface Farm {
  account: SampleAccount;
  /** Hundredths of a percent, by account; one entry where the account owns all it hauls. */
  owners: { accountId: string; percent: number }[];
  elevatorId: string;
  county: string;
  state: string;
  crops: Commodity[];
  fields: Field[];
  trucks: Truck[];
}

// What the tenant keeps; the landlord, the next account, has the rest.
const TENANT_PERCENTS = [5000, 6000, 6667] as const;

/** What stands behind each account: whose grain it is, what it grows and where, what it hauls with. */
export function planFarms(random: Random, accounts: SampleAccount[], elevators: SampleElevator[]): Farm[] {
  return accounts.map((account, index) => {
    const landlord = index % 5 === 2 ? accounts[(index + 1) % accounts.length]! : undefined;
    const elevatorIndex = random.integer(0, elevators.length - 1);
    const { county, state } = TOWNS[elevatorIndex % TOWNS.length]!;
    return {
      account,
      owners: owners(random, account, landlord),
      elevatorId: elevators[elevatorIndex]!.id,
      county,
      state,
      crops: random.chance(0.6) ? [WHEAT, SOYBEANS, CORN] : [CORN, SOYBEANS],
      fields: Array.from({ length: random.integer(3, 7) }, (_, number) => field(random, number)),
      trucks: Array.from({ length: random.integer(1, 4) }, (_, number) => truck(random, number, state)),
    };
  });
}

function owners(random: Random, tenant: SampleAccount, landlord: SampleAccount | undefined): Farm['owners'] {
  if (!landlord) return [{ accountId: tenant.id, percent: 10_000 }];
  const percent = random.pick(TENANT_PERCENTS);
  return [
    { accountId: tenant.id, percent },
    { accountId: landlord.id, percent: 10_000 - percent },
  ];
}

function field(random: Random, index: number): Field {
  return {
    id: `F-${random.integer(1000, 9999)}`,
    name: random.pick(FIELD_NAMES),
    farmNumber: String(random.integer(1000, 9999)),
    tractNumber: String(random.integer(1000, 29_999)),
    fieldNumber: String(index + 1),
    insuranceUnit: `000${random.integer(1, 4)}-000${random.integer(1, 3)} ${random.pick(['OU', 'BU', 'EU'])}`,
  };
}

function truck(random: Random, index: number, state: string): Truck {
  const semi = random.chance(0.8);
  return {
    name: `${random.pick(['Red', 'White', 'Blue', 'Green'])} ${semi ? random.pick(['Pete', 'Kenworth', 'Mack']) : 'Tandem'} ${index + 1}`,
    license: `${state} ${random.integer(100, 999)}-${random.integer(100, 999)}`,
    driver: `${random.pick(GIVEN_NAMES)} ${random.pick(SURNAMES)}`,
    hauler: random.chance(0.8) ? 'Farm truck' : `${random.pick(SURNAMES)} Trucking`,
    emptyWeight: semi ? 20 * random.integer(1175, 1475) : 20 * random.integer(590, 610),
    legalWeight: semi ? 80_000 : 35_000,
  };
}
