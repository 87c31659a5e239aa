import { changedFiles } from './changed-files';
import { faultsNamed, faultsOf } from './choose-faults';
import type { PlantedFault } from './planted-fault';

const fault = (name: string, file: string, test: string): PlantedFault => ({
  ...{ name, file, find: 'a', replace: 'b', consequence: 'c' },
  test: { path: test, name: 'it works' },
});

const faults = [
  fault('of-source', 'store/a.ts', 'test/store/a.test.ts'),
  fault('of-test', 'store/b.ts', 'test/store/b.test.ts'),
  fault('of-neither', 'store/c.ts', 'test/store/c.test.ts'),
];
const namesOf = (chosen: PlantedFault[]) => chosen.map(({ name }) => name);

test('those named are chosen, and all where none is named', () => {
  expect(namesOf(faultsNamed(faults, ['of-test']))).toEqual(['of-test']);
  expect(faultsNamed(faults, [])).toEqual(faults);
});

test('a name that there is not is refused', () => {
  expect(() => faultsNamed(faults, ['of-test', 'of-all'])).toThrow('no fault of-all; --list names them all');
});

test('of what has changed, those whose source or test is in it are chosen', () => {
  const files = new Set(['store/a.ts', 'test/store/b.test.ts', 'README.md']);
  expect(namesOf(faultsOf(faults, files))).toEqual(['of-source', 'of-test']);
  expect(faultsOf(faults, new Set())).toEqual([]);
});

test('without git, --changed is refused with what to do instead', () => {
  const env = { PATH: '/nowhere' };
  expect(() => changedFiles('HEAD', { env })).toThrow('there is no git; name the faults instead');
});
