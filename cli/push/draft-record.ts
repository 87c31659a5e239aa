import type { TObject, TSchema } from '@sinclair/typebox';
import { addTo } from '../../domain/add-to';
import { plainName } from '../../domain/nearest-name';
import { isJsonObject } from '../../domain/strict-json';
import { FACTORS, IDS, meaningOf, NAMES, says, meantWords } from './column-words';
import { knownField } from './field-kind';
import type { Mapping } from './mapping-schema';
import { commandOf } from './plan';
import { formsFor } from './read-dates';
import { readValue, Unreadable } from './read-value';
import { Moment, textIn } from './row';

const SHOWN_VALUES = 3;

/** A column of a file, or a path of JSON, with the values at its beginning. */
export interface DraftColumn {
  name: string;
  values: readonly unknown[];
  isPath?: boolean;
  /** Of what encloses the records. */
  isOutside?: boolean;
}

interface Named extends DraftColumn {
  words: string;
  /** Which of several: `Customer 2`. */
  index: string;
  /** The list of a JSON record that it is a member of the items of. */
  list: string | undefined;
  /** The text of each value, '' for none. */
  texts: string[];
}

type Source = string | Record<string, unknown>;

const NO_VALUE = /^(?:NULL|N\/A|- None -)$/i;
/** What is none where a column has other values of another kind. */
const NONE = /^(?:none|-|n\.?a\.?)$/i;
const NO_DATE = /^1[89]00-01-01|^[0/.:-]+$/;
const COMMA: Mapping['numbers'] = { decimal_char: ',', group_char: '.' };
const TIME = /^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[ap]m)?$/i;
const LIST = /^(.*\[\])\.(.+)$/;
const NEEDED: Record<string, string[]> = {
  splits: ['account_id', 'split_percent'],
  grade_factors: ['code', 'result'],
  pricing_lines: ['line_number', 'quantity'],
};
const WEIGHTS_OF_A_BUSHEL = [32, 48, 56, 60];

const fullNameOf = ({ list, name }: Named) => (list === undefined ? name : `${list}.${name}`);
const filledOf = ({ texts }: Named) => texts.filter((text) => text !== '');
const isDate = ({ values, texts }: Named) =>
  values.some((value) => value instanceof Moment && value.shows !== 'time') ||
  formsFor(texts.filter((text) => text !== '' && !NO_DATE.test(text) && !NO_VALUE.test(text))).length > 0 ||
  texts.every(
    (text) => text === '' || !Number.isNaN(Date.parse(/^\d{4}-\d\d-\d\dT/.exec(text)?.input ?? '')),
  );
const isTime = (column: Named) => filledOf(column).every((text) => TIME.test(text));

/** Drafts the record of columns: what their names and all values that were seen agree on. All others stand under "?". */
export class RecordDraft {
  private readonly columns: readonly Named[];
  private readonly used = new Set<Named>();
  private readonly record: Record<string, unknown> = {};
  private readonly guesses = new Map<string, unknown>();
  private readonly missing: string[];
  /** Columns whose cells differ between rows of one id. */
  private ofRows = new Set<Named>();
  private readonly forms: (readonly string[])[] = [];
  private readonly numbers: Mapping['numbers'];
  private table: Pick<Mapping, 'rows' | 'gather' | 'fill_down'> = {};

  constructor(
    columns: readonly DraftColumn[],
    private readonly type: Mapping['type'],
    /** Another sheet may have the same ids, for which one needs the site before them. */
    private readonly isOneOfSeveral: boolean,
  ) {
    this.columns = columns
      .map((column) => {
        const [, list, inner] = (column.isPath && !column.isOutside && LIST.exec(column.name)) || [];
        const name = inner ?? column.name;
        return {
          ...column,
          list,
          name,
          ...meantWords(name, column.isPath),
          texts: column.values.map(textIn),
        };
      })
      .filter((column) => filledOf(column).length > 0 || !column.isPath);
    const texts = this.columns.flatMap(filledOf);
    this.missing = [...new Set(texts.filter((text) => NO_VALUE.test(text)))];
    if (texts.some((text) => /^-?[\d.]*,\d{1,2}$/.test(text))) this.numbers = COMMA;
  }

  made(): Omit<Mapping, 'type'> {
    this.draftId();
    if (this.type === 'tickets') this.draftTimes();
    this.draftLists();
    const { schema } = commandOf(this.type);
    const fields = Object.keys(schema.properties).filter((field) => !knownField(schema, field)!.items);
    const names = Object.fromEntries(fields.map((field) => [field, NAMES[this.type]![field] ?? '']));
    const columns = this.own().filter(({ index }) => index === '');
    this.draftFields(this.record, names, schema, columns);
    this.draftUnits();
    if (this.type === 'accounts') this.draftName();
    const dates = this.datesOf();
    const order = Object.keys(schema.properties);
    const record = Object.fromEntries(order.flatMap((field) => Object.hasOwn(this.record, field) ? [[field, this.record[field]]] : [])); // prettier-ignore
    const seen = (column: Named) => [...new Set(filledOf(column))].slice(0, SHOWN_VALUES);
    const others = this.free().map((column) => [fullNameOf(column), seen(column)] as const);
    const guesses = new Map([...others, ...this.guesses]);
    return {
      ...this.table,
      ...(this.missing.length > 0 && { missing_values: this.missing }),
      ...(this.numbers && { numbers: this.numbers }),
      ...(dates.length > 0 && { dates }),
      record,
      ...(guesses.size > 0 && { '?': Object.fromEntries(guesses) }),
    };
  }

  /** The columns of the record's own that have no field yet. */
  private free = () => this.columns.filter((column) => !this.used.has(column));
  private own = () => this.free().filter((column) => !this.ofRows.has(column) && column.list === undefined);
  private take(column: Named): string {
    this.used.add(column);
    return column.name;
  }

  private draftId(): void {
    const [id, another] = this.own().filter(
      (column) => filledOf(column).length > 0 && says(column.words, IDS[this.type]),
    );
    if (!id) return;
    if (!id.isPath) this.draftRows(id);
    const site = this.own().find(({ words }) => words === 'site');
    const isOfSite = site && !another && (site.isOutside || new Set(filledOf(site)).size > 1) && this.type !== 'accounts'; // prettier-ignore
    if (this.isOneOfSeveral)
      this.guesses.set('id', { from: [{ value: 'the site of the sheet' }, id.name], join: '-' });
    else this.record['id'] = isOfSite ? { from: [site.name, id.name], join: '-' } : id.name;
    this.used.add(id);
    const number = this.type.replace(/s$/, '_number');
    const numbered = another ?? id;
    if (Object.hasOwn(commandOf(this.type).schema.properties, number) && !/id$/i.test(numbered.name))
      this.record[number] = this.take(numbered);
    if (site && isOfSite) this.record['elevator_id'] = this.take(site);
    const keys = id.texts.map(
      (text, row) => (isOfSite && !site.isOutside ? `${site.texts[row]} ` : '') + text,
    );
    if (!id.isPath && new Set(keys.filter((_, row) => id.texts[row] !== '')).size < filledOf(id).length) this.draftGathered(keys); // prettier-ignore
  }

  /** Tells rows that are no record, as totals are, and rows that continue the one above. */
  private draftRows(id: Named): void {
    const detail = this.columns.find(({ words }) => says(words, NAMES[this.type === 'contracts' ? 'pricing_lines' : 'splits']!['account_id'] ?? 'line')); // prettier-ignore
    const widest = Math.max(...id.texts.map((_, row) => this.widthOf(row)));
    const [shape, ofDetail] = [shapeOf(id), detail && shapeOf(detail)];
    const isOf = (pattern: string, text: string) => new RegExp(`^(?:${pattern})$`).test(text);
    const isLike = (text: string) => text !== '' && (/\d/.test(text) || !shape.includes('\\d'));
    const rows = id.texts.map((text, row) => ({
      text,
      isRecord: isOf(shape, text) ? this.widthOf(row) * 3 > widest : isLike(text) && this.widthOf(row) * 4 > widest * 3,
      isDetail: text === '' && detail !== undefined && isOf(ofDetail!, detail.texts[row]!),
    })); // prettier-ignore
    this.fillGroups(rows.map(({ isRecord }) => isRecord));
    const out = rows.filter(({ isRecord, isDetail }) => !isRecord && !isDetail);
    const more = rows.some(({ isDetail }) => isDetail);
    const fill_down = [...(this.table.fill_down ?? []), ...(more ? [id.name] : [])];
    this.table = { ...(fill_down.length > 0 && { fill_down }), ...(more && { gather: true }) };
    if (more) this.ofRows = new Set(this.columns.filter((column) => rows.some(({ isDetail }, row) => isDetail && column.texts[row] !== ''))); // prettier-ignore
    if (out.length === 0) return;
    const records = rows.filter(({ isRecord }) => isRecord).map(({ text }) => text);
    const isOne = records.every((text) => isOf(shape, text));
    const digits = records[0]!.length;
    const isTaken = out.some(({ text }) => isOf(shape, text));
    const pattern = isTaken && records.every((text) => text.length === digits) ? `\\d{${digits}}` : shape;
    const test = isOne ? { pattern } : { not: [...new Set(out.map(({ text }) => text))] };
    this.table = {
      rows: more ? { [detail!.name]: { pattern: ofDetail } } : { [id.name]: test },
      ...this.table,
    };
    for (const column of this.columns)
      column.texts = column.texts.map((text, row) =>
        rows[row]!.isRecord || rows[row]!.isDetail ? text : '',
      );
  }

  /** A column that stands alone in rows between the records is filled down. */
  private fillGroups(isRecord: readonly boolean[]): void {
    const isGroup = ({ texts }: Named) => texts.every((text, row) => text === '' || (!isRecord[row] && this.widthOf(row) === 1)); // prettier-ignore
    const groups = this.columns.filter((column) => filledOf(column).length > 1 && isGroup(column));
    if (groups.length === 0) return;
    this.table = { fill_down: groups.map(({ name }) => name) };
    for (const column of groups) {
      let above = '';
      column.texts = column.texts.map((text) => (above = text || above));
    }
  }

  private widthOf = (row: number) => this.columns.filter(({ texts }) => texts[row] !== '').length;

  private draftGathered(keys: readonly string[]): void {
    const first = new Map<string, number>();
    for (const [row, key] of keys.entries()) if (!first.has(key)) first.set(key, row);
    const differs = ({ texts }: Named) => texts.some((text, row) => text !== texts[first.get(keys[row]!)!]);
    this.table = { ...this.table, gather: true };
    for (const column of this.free().filter(differs)) this.ofRows.add(column);
  }

  private draftTimes(): void {
    const of = (ways: string, is: (column: Named) => boolean) => this.own().find((column) => says(column.words, ways) && is(column)); // prettier-ignore
    const [day, out] = [of('day|day in|day ticket|shipped|in', isDate), of('day out|out', isDate)];
    const [inAt, outAt] = [of('time|time in|in|gross time', isTime), of('time out|out|tare time', isTime)];
    for (const [field, of, at] of [
      ['weigh_in_at', day, inAt],
      ['weigh_out_at', out ?? (outAt && day), outAt],
    ] as const) {
      if (!of) continue;
      const from = at ? [of.name, at.name] : of.name;
      this.record[field] = at ? { from } : this.sourceOf(of, 'weigh_in_at', commandOf('tickets').schema);
      if (at) this.forms.push(formsFor(of.texts.map((text, row) => text && `${text} ${at.texts[row]}`).filter(Boolean))); // prettier-ignore
      if (at || formsFor(filledOf(of)).length > 0)
        this.guesses.set('time_zone', 'whose time it is, such as America/Chicago');
      for (const column of [of, at]) if (column) this.used.add(column);
    }
  }

  private draftLists(): void {
    for (const list of ['splits', 'grade_factors', 'pricing_lines']) {
      const { properties } = commandOf(this.type).schema;
      if (!Object.hasOwn(properties, list)) continue;
      const needed = NEEDED[list]!;
      const groups = this.groupsOf(list);
      const items = [...groups].flatMap(([each, columns]) => {
        const item: Record<string, unknown> = {};
        const before = new Set(this.used);
        this.draftFields(item, NAMES[list]!, properties[list]!['items'] as TObject, columns, `${list}.`);
        const isWhole = needed.every((field) => Object.hasOwn(item, field));
        if (!isWhole) for (const column of columns) if (!before.has(column)) this.used.delete(column);
        return isWhole ? [each.endsWith('[]') || each === 'rows' ? { each, item } : item] : [];
      });
      if (items.length > 0) this.record[list] = items.length === 1 && isJsonObject(items[0]) && 'each' in items[0] ? items[0] : items; // prettier-ignore
    }
    this.draftFactors();
    if (this.type === 'tickets') this.draftContract();
    const phones = this.own().filter(({ words }) => this.type === 'accounts' && words.split(' ').includes('phone')); // prettier-ignore
    if (phones.length > 0) this.record['phones'] = phones.map((column) => this.phoneOf(column));
  }

  private phoneOf(column: Named): Record<string, unknown> {
    const name = this.take(column);
    if (column.values.some(Array.isArray)) return { each: `${name}[]`, item: { phone: '.' } };
    const none = [...new Set(column.texts.filter((text) => NONE.test(text)))];
    return { phone: none.length > 0 ? { from: name, missing_values: none } : name };
  }

  /** The columns of each item of a list: those of rows, of a list of JSON, or of one number. */
  private groupsOf(list: string): Map<string, Named[]> {
    const groups = new Map<string, Named[]>();
    const ways = Object.values(NAMES[list]!);
    for (const column of this.free()) {
      const isNamed = column.words === 'contract site' || ways.some((way) => says(column.words, way));
      if (isNamed && (column.list || list !== 'grade_factors')) addTo(groups, column.list ?? (this.ofRows.has(column) ? 'rows' : column.index), column); // prettier-ignore
    }
    const [whole, first] = [groups.get(''), groups.get('1')];
    if (whole && first && !first.some(({ words }) => words.includes('account'))) {
      groups.delete('');
      groups.set('1', [...whole, ...first]);
    }
    return groups;
  }

  private draftFactors(): void {
    const factors = this.own().filter(({ words }) => Object.hasOwn(FACTORS, words));
    const { schema } = commandOf(this.type);
    const items = (schema.properties['grade_factors'] as TSchema | undefined)?.['items'] as
      | TObject
      | undefined;
    if (!items || this.record['grade_factors'] !== undefined) return;
    const drafted = factors.flatMap((column) => {
      const result = this.sourceOf(column, 'result', items);
      if (result) this.used.add(column);
      return result ? [{ result, code: { value: FACTORS[column.words] } }] : [];
    });
    if (drafted.length > 0) this.record['grade_factors'] = drafted;
  }

  private draftContract(): void {
    const item: Record<string, unknown> = {};
    const { schema } = commandOf('tickets');
    const items = (schema.properties['applications'] as TSchema)['items'] as TObject;
    this.draftFields(item, { contract_id: 'contract' }, items, this.own());
    if (item['contract_id']) this.record['applications'] = [item];
  }

  private draftName(): void {
    const of = (way: string) => this.own().find(({ words }) => says(words, way));
    const [first, last] = [of('first name'), of('last name|last business name')];
    if (first && last && this.record['name'] === undefined)
      this.record['name'] = { from: [this.take(first), this.take(last)] };
  }

  private draftFields(
    into: Record<string, unknown>,
    names: Record<string, string>,
    schema: TObject,
    columns: readonly Named[],
    list = '',
  ): void {
    for (const [field, ways] of Object.entries(names)) {
      const is = (one: Named) =>
        plainName(one.name) === plainName(field) || (filledOf(one).length > 0 && says(one.words, ways));
      const column = columns.find((one) => !this.used.has(one) && is(one));
      const source = column && !Object.hasOwn(into, field) && this.sourceOf(column, field, schema, list);
      if (!source) continue;
      const site = field === 'contract_id' && columns.find(({ words }) => words === 'contract site');
      const more = typeof source === 'object' ? source : {};
      into[field] = site ? { ...more, from: [this.take(site), column.name], join: '-' } : source;
      this.used.add(column);
      this.guesses.delete(fullNameOf(column));
    }
  }

  /** A column as the source of a field; undefined where a value does not fit, or is a code that nobody can know. */
  private sourceOf(column: Named, field: string, schema: TObject, list = ''): Source | undefined {
    const kind = knownField(schema, field)!.kind;
    const texts = [...new Set(filledOf(column))].filter((text) => !this.missing.includes(text));
    if (kind === 'instant' || kind === 'created' || kind === 'day') return this.dateOf(column, texts);
    const { examples = [] } = schema.properties[field] as { examples?: string[] };
    if (examples.length > 0 || field === 'commodity')
      return this.codesOf(column, field, list, texts, examples);
    const isId = kind === 'id' || kind === 'year';
    const none = texts.filter(
      (text) => (isId && /^0+$/.test(text)) || (kind === 'number' && NONE.test(text)),
    );
    const habits = { dates: [], numbers: { decimal_char: '.', group_char: ',', ...this.numbers } };
    const isRead = (value: unknown) =>
      !texts.includes(textIn(value)) ||
      none.includes(textIn(value)) ||
      !(readValue(kind, textIn(value), value, habits) instanceof Unreadable);
    if (!column.values.every(isRead)) return undefined;
    return none.length > 0 ? { from: column.name, missing_values: none } : column.name;
  }

  private dateOf(column: Named, texts: readonly string[]): Source | undefined {
    if (!isDate(column)) return undefined;
    const none = texts.filter((text) => NO_DATE.test(text));
    const read = texts.filter((text) => !none.includes(text) && column.values.includes(text));
    if (read.length > 0) this.forms.push(formsFor(read));
    return none.length > 0 ? { from: column.name, missing_values: none } : column.name;
  }

  private codesOf(column: Named, field: string, list: string, texts: readonly string[], known: string[]) {
    const meant = texts.map((text) => [text, meaningOf(field, text, known)] as const);
    const isPlain = known.length === 0 && texts.every((text) => /\p{Ll}/u.test(text));
    if (isPlain || meant.every(([text, meaning]) => text === meaning)) return column.name;
    const values = Object.fromEntries(meant.map(([text, meaning]) => [text, meaning ?? '?']));
    if (meant.every(([, meaning]) => meaning !== undefined)) return { from: column.name, values };
    this.guesses.set(fullNameOf(column), { [list + field]: { from: column.name, values } });
    return undefined;
  }

  /** The units that names say, or that a bushel of 56 or 60 pounds shows. */
  private draftUnits(): void {
    const saysOne = (field: string) => {
      const name = this.record[field];
      const words = typeof name === 'string' ? name.toLowerCase().split(/[^a-z]+|(?<=net)(?=bu)/) : [];
      return UNITS.find(([word]) => words.includes(word))?.[1];
    };
    const { properties } = commandOf(this.type).schema;
    const isBushel = this.type === 'tickets' && this.isOfBushels();
    for (const [unit, fields, otherwise] of [
      ['weight_uom', ['gross_weight', 'net_weight'], 'lb'],
      ['units_uom', ['net_units', 'gross_units', 'dockage_units'], 'bu'],
      ['uom', ['quantity'], undefined],
    ] as const) {
      if (!Object.hasOwn(properties, unit) || this.record[unit] !== undefined) continue;
      const said = fields.map(saysOne).find((one) => one !== undefined) ?? (isBushel ? otherwise : undefined);
      if (said && fields.some((field) => this.record[field] !== undefined))
        this.record[unit] = { value: said };
    }
  }

  private isOfBushels(): boolean {
    const of = (field: string) => this.columns.find(({ name }) => name === this.record[field])?.texts ?? [];
    const [weights, gross, net] = [of('net_weight'), of('gross_units'), of('net_units')];
    const ratios = weights.map((text, row) => Number(text.replace(/,/g, '')) / Number((gross[row] || net[row])?.replace(/,/g, ''))); // prettier-ignore
    return ratios.some((ratio) => WEIGHTS_OF_A_BUSHEL.some((weight) => Math.abs(ratio - weight) < 0.01));
  }

  /** One form for each way of writing. Where a column fits two, one whose day another column has alone. */
  private datesOf(): string[] {
    const dayOf = (form: string) => form.split(/[ T]/)[0]!.replace(/YYYY/, 'YY');
    const sure = new Set(this.forms.flatMap((forms) => (forms.length === 1 ? forms.map(dayOf) : [])));
    const found = this.forms.flatMap((forms) => {
      const fit = forms.length === 1 ? forms : forms.filter((form) => sure.has(dayOf(form)));
      if (fit.length === 0 && forms.length > 1) this.guesses.set('dates', forms);
      return fit.slice(0, 1);
    });
    const turned = (form: string) => form.replace(/MM|DD/g, (part) => (part === 'MM' ? 'DD' : 'MM'));
    if (!found.some((form) => found.includes(turned(form)))) return [...new Set(found)];
    this.guesses.set('dates', found);
    return [];
  }
}

const UNITS = [
  ['lb', 'lb'],
  ['lbs', 'lb'],
  ['pounds', 'lb'],
  ['kg', 'kg'],
  ['bu', 'bu'],
  ['bushels', 'bu'],
  ['t', 'mt'],
] as const;

/** A pattern for most of a column's values: `BILL-\\d+`. */
function shapeOf(column: Named): string {
  const counts = new Map<string, number>();
  for (const text of filledOf(column)) {
    const shape = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\d+/g, '\\d+');
    counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? '';
}
