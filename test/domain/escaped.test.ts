import { escaped, escapedInPage, escapedLines } from '../../domain/text/escaped';

const ANY = 'a\u001b[2J\nb\u009b\u202ec\u2028\u2066\u200e\u061c';
const SHOWN = String.raw`b\u009b\u202ec\u2028\u2066\u200e\u061c`;

test('what moves a cursor, ends a line or turns a direction is spelled out; other text stays', () => {
  expect(escaped(ANY)).toBe(String.raw`a\u001b[2J\u000a` + SHOWN);
  expect(escapedLines(ANY)).toBe(String.raw`a\u001b[2J` + `\n${SHOWN}`);
  const text = 'Müller 👩\u200d🌾 Łódź عربي क्\u200dष';
  expect([escaped(text), escapedInPage(text)]).toEqual([text, text]);
});

test('a JSON document is the same document', () =>
  expect(JSON.parse(escapedLines(JSON.stringify({ [ANY]: ANY }, null, 2)))).toEqual({ [ANY]: ANY }));

test('a form posts what its values hold, and nothing of it is in the page', () => {
  const page = escapedInPage('<b title="x\u202e">\u202e</b>\n<input value="1\u202e\u2028\u2029\u009b" />');
  expect(page).toBe(
    String.raw`<b title="x\u202e">\u202e</b>` +
      '\n' +
      String.raw`<input value="1&#x202e;&#x2028;&#x2029;\u009b" />`,
  );
});
