import { readFaults } from './read-faults';

const ONE = `room/a.ts
  never-given-back: after a while every push is refused
    | [-lease.end();-]
    > store/a: gives back
`;

test('a fault is its name and consequence, its text, and its test', () => {
  expect(readFaults(ONE, 'store.txt')).toEqual([
    {
      name: 'never-given-back',
      file: 'room/a.ts',
      find: 'lease.end();',
      replace: '',
      consequence: 'after a while every push is refused',
      test: { path: 'test/store/a.test.ts', name: 'gives back' },
    },
  ]);
});

const textOf = (...lines: string[]) => {
  const text = lines.map((line) => `    | ${line}`.trimEnd()).join('\n');
  const [fault] = readFaults(ONE.replace('    | [-lease.end();-]', text), 'store.txt');
  return [fault!.find, fault!.replace];
};

test('what is marked is taken out and put in, and the text beside it stays', () => {
  expect(textOf('if (a [-<-]{+<=+} b[-, c-]) {')).toEqual(['if (a < b, c) {', 'if (a <= b) {']);
});

test('a text of several lines keeps their indentation, and blank ones', () => {
  expect(textOf('[-begin();', '', '    -]go();{+', '    begin();+}')).toEqual([
    'begin();\n\n    go();',
    'go();\n    begin();',
  ]);
});

test('a fault follows the last source file above it', () => {
  const more = `${ONE}  second: b: c\n    | x{+y+}\n    > a/b.slow (bundled): it: works\n\nstore/b.tsx\n`;
  const third = '  third: d\n    | [-z-]\n    > a: t\n';
  const [, second, last] = readFaults(more + third, 'store.txt');
  expect(second).toMatchObject({ file: 'room/a.ts', consequence: 'b: c', bundled: true });
  expect(second!.test).toEqual({ path: 'test/a/b.slow.test.ts', name: 'it: works' });
  expect(last!.file).toBe('store/b.tsx');
});

test.each([
  ['no source file', ONE.replace('room/a.ts\n', ''), 1],
  ['no consequence', ONE.replace(/: after.*/, ''), 2],
  ['no text', ONE.replace(/ {4}\|.*\n/, ''), 2],
  ['no test', ONE.replace(/ {4}>.*\n/, ''), 2],
  ['a test without a title', ONE.replace(': gives back', ''), 2],
  ['another indentation', `${ONE}\n    second: c\n`, 6],
  ['a line too many', `${ONE}    > store/a: gives back\n`, 5],
])('%s: an error that says where', (_, text, line) => {
  expect(() => readFaults(text, 'store.txt')).toThrow(
    `store.txt:${line}: no source file and no whole fault begins here; test/planted/README.md shows what one looks like`,
  );
});
