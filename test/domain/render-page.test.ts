import { finishWire, renderRecord } from '../../domain/records/render-record';
import { renderPage, withBefore } from '../../domain/deliveries/render-page';

const company = { id: '42', name: 'Prairie Co-op' };
const meta = { current_page: 1, page_count: 2, page_size: 1000, total_count: 2, total_pages: 1 };

test('a page is its records and its meta, in order', () => {
  const wires = ['1', '2'].map((id) =>
    finishWire(renderRecord('accounts', { id, name: `Höme ${id} 🌽` }, company), 0, 1),
  );
  const page = renderPage(wires, meta);
  expect(JSON.parse(page.toString())).toEqual({
    data: wires.map((wire) => JSON.parse(wire.toString())),
    meta,
  });
  expect(page.toString()).toMatch(
    /"meta":\{"current_page":1,"page_count":2,"page_size":1000,"total_count":2,"total_pages":1\}\}$/,
  );
});

test('bytes before a page are put there once without a copy, and the page stays as it is', () => {
  const wires = [Buffer.from('"a"')];
  const page = renderPage(wires, meta);
  const text = page.toString();
  const first = withBefore(Buffer.from('msg_1.1.'), page);
  const second = withBefore(Buffer.from('msg_2.22.'), page);
  expect(first.buffer).toBe(page.buffer);
  expect([first, second, page].map(String)).toEqual([`msg_1.1.${text}`, `msg_2.22.${text}`, text]);
  const long = Buffer.alloc(1_000, 'x');
  expect(withBefore(long, renderPage(wires, meta)).toString()).toBe(`${String(long)}${text}`);
});

test('plain Uint8Arrays, as the driver gives them, and no record at all', () => {
  expect(renderPage([new Uint8Array([0x31])], meta).toString()).toMatch(/^\{"data":\[1\],"meta":/);
  expect(renderPage([], meta).toString()).toMatch(/^\{"data":\[\],"meta":/);
});
