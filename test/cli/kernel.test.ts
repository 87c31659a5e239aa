import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkKernel } from '../../cli/doctor/check-kernel';
import { checkout } from '../../tools/local/checkout';

test.each(['6.19.0', '6.19.4-200.fc43.x86_64', '6.20-rc1', '7.0.0-1012-aws', '7.0.13'])(
  'the doctor warns of Linux %s, on which mongod 8.0 does not start',
  (release) => {
    const [finding, ...more] = checkKernel('linux', release);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ status: 'warn', part: 'kernel' });
    expect(finding!.finding).toContain(release);
  },
);

test.each(['5.10.0-8-amd64', '6.8.0-31-generic', '6.18.44', '7.0.14', '7.1.5-arch1-2', '8.0', 'unknown'])(
  'it has nothing to say of Linux %s',
  (release) => expect(checkKernel('linux', release)).toEqual([]),
);

test('it has nothing to say of another system, such as macOS', () => {
  expect(checkKernel('darwin', '7.0.1')).toEqual([]);
});

test('docs/deploy.md says so as well', () => {
  const page = readFileSync(path.join(checkout, 'docs/deploy.md'), 'utf8');
  expect(page).toMatch(/mongod 8\.0 does not start on Linux 6\.19 to 7\.0\.13/);
});
