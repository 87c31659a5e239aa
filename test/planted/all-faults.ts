import { ACCESS_FAULTS } from './faults/access';
import { ACTIVITY_FAULTS } from './faults/activities';
import { CUSTOMER_FAULTS } from './faults/customer';
import { FARMER_FAULTS } from './faults/farmer';
import { FIFTH_LOOK_FAULTS } from './faults/fifth-look';
import { FOURTH_LOOK_FAULTS } from './faults/fourth-look';
import { GUARDS_ACTIVITIES_FAULTS } from './faults/guards-activities';
import { GUARDS_API_FAULTS } from './faults/guards-api';
import { GUARDS_CLI_FAULTS } from './faults/guards-cli';
import { GUARDS_CONSENT_FAULTS } from './faults/guards-consent';
import { GUARDS_FEED_FAULTS } from './faults/guards-feed';
import { GUARDS_PAGES_FAULTS } from './faults/guards-pages';
import { GUARDS_WORKFLOWS_FAULTS } from './faults/guards-workflows';
import { PROGRAM_FAULTS } from './faults/programs';
import { PULL_FAULTS } from './faults/pull';
import { SECOND_LOOK_FAULTS } from './faults/second-look';
import { SEVERAL_IN_API } from './faults/several-api';
import { SEVERAL_FOR_FARMERS } from './faults/several-farmer';
import { SEVERAL_IN_STORE } from './faults/several-store';
import { SEVERAL_IN_WORKER } from './faults/several-worker';
import { STORE_FAULTS } from './faults/store';
import { THIRD_LOOK_FAULTS } from './faults/third-look';
import { WORKFLOW_FAULTS } from './faults/workflows';
import type { PlantedFault } from './planted-fault';

export const FAULTS: PlantedFault[] = [
  ...STORE_FAULTS,
  ...ACTIVITY_FAULTS,
  ...WORKFLOW_FAULTS,
  ...CUSTOMER_FAULTS,
  ...PULL_FAULTS,
  ...FARMER_FAULTS,
  ...ACCESS_FAULTS,
  ...PROGRAM_FAULTS,
  ...SECOND_LOOK_FAULTS,
  ...THIRD_LOOK_FAULTS,
  ...FOURTH_LOOK_FAULTS,
  ...FIFTH_LOOK_FAULTS,
  ...SEVERAL_IN_STORE,
  ...SEVERAL_IN_WORKER,
  ...SEVERAL_IN_API,
  ...SEVERAL_FOR_FARMERS,
  ...GUARDS_ACTIVITIES_FAULTS,
  ...GUARDS_API_FAULTS,
  ...GUARDS_CLI_FAULTS,
  ...GUARDS_CONSENT_FAULTS,
  ...GUARDS_FEED_FAULTS,
  ...GUARDS_PAGES_FAULTS,
  ...GUARDS_WORKFLOWS_FAULTS,
];
