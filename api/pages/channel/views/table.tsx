import type { ComponentChildren, VNode } from 'preact';

export interface Column<Row> {
  title: string;
  number?: boolean;
  cell(row: Row): ComponentChildren;
}

/** On narrow screens every row becomes a card: each cell names its column, and the roles keep the table semantics. */
export function Table<Row>(props: {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  classOf?: (row: Row) => string;
}): VNode {
  const { caption, columns, rows, classOf } = props;
  return (
    <table role="table">
      <caption class="hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ title, number }) => (
            <th role="columnheader" scope="col" key={title} class={number ? 'number' : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row, index) => (
          <tr role="row" key={index} class={classOf?.(row)}>
            {columns.map(({ title, number, cell }) => (
              <td role="cell" key={title} class={number ? 'number' : undefined} data-title={title}>
                <div>{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
