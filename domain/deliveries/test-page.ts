import { renderPage } from './render-page';
import { finishWire, renderRecord } from '../records/render-record';

const COMPANY = { id: 'gdx-test', name: 'Test of the operator' };

/**
 * The test page of `gdx channel test` and of the button on a channel's page. It changes nothing at a customer
 * that does not notice that it is a test.
 * @param withRecord adds one deleted account of a company that does not exist, to try the customer's parser
 */
export function testPage(withRecord: boolean, pageSize: number, now: Date): Buffer {
  const wires = withRecord ? [deletedAccount(now)] : [];
  const count = wires.length;
  const meta = {
    current_page: 1,
    page_count: count,
    page_size: pageSize,
    total_count: count,
    total_pages: count,
  };
  return renderPage(wires, meta);
}

function deletedAccount(now: Date): Buffer {
  const instant = now.toISOString();
  const phones = [{ phone: '7015550100' }];
  const account = {
    id: 'test',
    name: 'TEST, not a farmer',
    phones,
    created_at: instant,
    deleted_at: instant,
  };
  return finishWire(renderRecord('accounts', account, COMPANY), now, now);
}
