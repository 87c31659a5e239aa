import { createProgress } from '../../cli/push/progress';

test('the time left is judged by what this run has sent of this file', () => {
  let seconds = 0;
  const lines: string[] = [];
  const write = (line: unknown) => lines.push(String(line)) > 0;
  const progress = createProgress({ write }, () => seconds * 1_000);
  const at = (now: number, file: string, done: number, total: number) => {
    seconds = now;
    progress.pushing(file, done, total);
  };
  at(0, 'a.csv', 9_000, 10_000); // goes on after these
  at(10, 'a.csv', 9_100, 10_000);
  progress.end();
  at(20, 'b.csv', 0, 1_000);
  at(30, 'b.csv', 500, 1_000);
  expect(lines).toEqual([
    'a.csv: 91 %, 9,100 of 10,000 records, 90 s left\n',
    'b.csv: 0 %, 0 of 1,000 records\n',
    'b.csv: 50 %, 500 of 1,000 records, 10 s left\n',
  ]);
});
