import { none } from './cases';

// `npm test` has played every other test of a quick file: of one, `npm run test:slow` plays slowTest and scaledTest.
const file = expect.getState().testPath ?? '';
if (!file.endsWith('.slow.test.ts')) globalThis.test = globalThis.it = none();
