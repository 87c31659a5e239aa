import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import {
  cropYearOf,
  type ProductionRecord,
  productionRecord,
} from '../../../domain/records/production-record';
import { productionTable, SUMMED } from '../../../domain/records/production-record';
import { escapedInPage } from '../../../domain/text/escaped';
import { UTF8_MARK } from '../../../domain/text/inert-cell';
import type { Channel } from '../../../store/channels/channels';
import { readAccountsGrain } from '../../../store/digest/accounts-grain';
import type { Store } from '../../../store/store';
import { TooManyRecords } from '../../../store/window/choose-records';
import { type Copy, isSaid, labelOf } from '../copy-words';
import type { SharedAccount } from '../who-sees';
import { framed } from './copy-to-read';

/** The production records of an account, the newest first; undefined where it has more loads than may be read. */
interface Harvest {
  account: SharedAccount;
  records: ProductionRecord[] | undefined;
}

/** Of each account of which the customer may see any load. */
export async function* readHarvests(
  store: Store,
  channel: Channel,
  { accounts, signal }: { accounts: SharedAccount[]; signal: AbortSignal },
): AsyncGenerator<Harvest> {
  for (const account of accounts) {
    try {
      const grain = await readAccountsGrain(store, channel, account.id, signal);
      const years = [...new Set(grain?.tickets.map(cropYearOf))].sort().reverse();
      const records = years.map((year) => productionRecord(account.id, year, grain!));
      const grown = records.filter(({ loads }) => loads > 0);
      if (grown.length > 0) yield { account, records: grown };
    } catch (error) {
      if (!(error instanceof TooManyRecords)) throw error;
      yield { account, records: undefined };
    }
  }
}

/** Writes the loads as CSV. */
export async function* productionCsv({ batches, texts }: Copy<Harvest>): AsyncGenerator<string> {
  let before = UTF8_MARK;
  for await (const { records } of batches) {
    const table = productionTable(records ?? [], (name) => labelOf(name, texts));
    // The names of the columns once.
    yield before === '' ? table.slice(table.indexOf('\n') + 1) : before + table;
    before = '';
  }
}

/** Writes them as a page, each on a sheet of its own. */
export async function* productionToRead(copy: Copy<Harvest>): AsyncGenerator<string> {
  const { title, from } = copy.texts.production;
  const [before, behind] = framed(copy, title, from(copy.customer));
  yield before!;
  for await (const { account, records } of copy.batches) {
    if (!records) yield escapedInPage(renderToString(<Account copy={copy} account={account} />));
    for (const record of records ?? [])
      yield escapedInPage(renderToString(<Account copy={copy} account={account} record={record} />));
  }
  yield behind!;
}

const OF_LOAD = [
  ...['weighed_at', 'ticket_number', 'load_number', 'commodity', 'gross_weight', 'tare_weight', 'net_weight'],
  ...['moisture', 'split_percent', 'net_units', 'settlement_state'],
];
const PLACE = [
  'county',
  'fsa_farm_number',
  'fsa_tract_number',
  'fsa_field_number',
  'farm_name',
  'field_name',
  'field_id',
];
const OF_SUM = ['commodity', 'loads', 'settled_loads', ...SUMMED];

type Row = Readonly<Record<string, unknown>>;

function Account(props: { copy: Copy<Harvest>; account: SharedAccount; record?: ProductionRecord }): VNode {
  const { copy, account, record } = props;
  const { texts } = copy;
  const t = texts.production;
  const place = (field: Row) =>
    PLACE.filter((name) => isSaid(field[name])).map(
      (name) => `${labelOf(name, texts)} ${field[name] as string}`,
    );
  return (
    <div class="sheet">
      <h2>
        {account.name}
        {record && `, ${record.crop_year ? t.year(record.crop_year) : t.noYear}`}
      </h2>
      <p>
        {account.company.name} · {texts.accounts.number(account.remote_id)}
      </p>
      {!record && <p class="note">{t.tooMany}</p>}
      {record && record.not_assigned > 0 && (
        <p class="note">{t.notAssigned(record.not_assigned, record.loads)}</p>
      )}
      {record && <Table copy={copy} columns={OF_SUM} rows={record.crops} />}
      {record && record.shares.length > record.crops.length && (
        <Table copy={copy} columns={['split_percent', ...OF_SUM]} rows={record.shares} />
      )}
      {record && record.missing.length > 0 && <h3>{t.missing}</h3>}
      <ul>
        {(record?.missing ?? []).map(({ what, count, where }) => (
          <li>
            {labelOf(what, texts)}
            {count > 0 && `: ${count} (${where.join(', ')}${count > where.length ? ' …' : ''})`}
          </li>
        ))}
      </ul>
      {record?.fields.map((field) => (
        <>
          <h3>{field.assigned ? place(field).join(', ') : t.noField}</h3>
          <Table copy={copy} columns={OF_LOAD} rows={field.loads} />
          <Table copy={copy} columns={OF_SUM} rows={field.sums} />
        </>
      ))}
    </div>
  );
}

/** A table on paper; on a screen each row is a list. */
function Table({
  copy,
  columns,
  rows,
}: {
  copy: Copy<Harvest>;
  columns: string[];
  rows: readonly Row[];
}): VNode {
  const { texts, zone } = copy;
  const cellOf = (row: Row, name: string) => {
    const value = row[name];
    if (!isSaid(value)) return '–';
    if (name === 'weighed_at')
      return zone
        ? texts.sharing.on(new Date(value as string), zone)
        : texts.sharing.day((value as string).slice(0, 10));
    if (name === 'settlement_state') return labelOf(value as string, texts);
    const unit = name.endsWith('_weight')
      ? row['weight_uom']
      : name.endsWith('_units')
        ? row['units_uom']
        : undefined;
    return `${value as string} ${isSaid(unit) ? (unit as string) : ''}`;
  };
  return (
    <table role="table">
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((name) => (
            <th role="columnheader">{labelOf(name, texts)}</th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr role="row">
            {columns.map((name) => (
              <td role="cell" data-title={labelOf(name, texts)}>
                {cellOf(row, name)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
