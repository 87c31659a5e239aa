import { RecordToRender } from '../../domain/records/record-to-render';
import { renderRecord } from '../../domain/records/render-record';
import type { PushedRecord } from '../../domain/records/validate-push';

const COMPANY = { id: '42', name: 'Prairie Co-op' };
const meyer = { id: 'A', name: 'Meyer Farms' } as PushedRecord;

test('a record is rendered once, when it is first asked for', () => {
  const toRender = new RecordToRender('accounts', meyer, COMPANY);
  expect(toRender.id).toBe('42-A');
  const { rendered } = toRender;
  expect(rendered).toEqual(renderRecord('accounts', meyer, COMPANY));
  expect(toRender.rendered).toBe(rendered);
});
