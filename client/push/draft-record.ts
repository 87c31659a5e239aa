import type { TObject } from '@sinclair/typebox';
import { addTo } from '../../domain/records/add-to';
import { plainName } from '../../domain/text/nearest-name';
import { factorOf, IDS, LISTS, meaningOf, meantWords, says, waysOf } from './column-words';
import { isDateKind, knownField } from './field-kind';
import type { Mapping } from './mapping-schema';
import { commandOf } from './plan';
import { formsFor, readDate } from './read-dates';
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

type Item = Record<string, unknown>;
type Source = string | Item;

const NO_VALUE = /^(?:NULL|N\/A|- None -)$/i;
/** What is none where a column has other values of another kind. */
const NONE = /^(?:none|-|n\.?a\.?)$/i;
const NO_DATE = /^1[89]00-01-01|^[0/.:-]+$/;
const COMMA: Mapping['numbers'] = { decimal_char: ',', group_char: '.' };
const TIME = /^\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[ap]m)?$/i;
const LIST = /^(.*\[\])\.(.+)$/;
const UNITS = ['lb', 'kg', 'bu', 'mt'];
const WEIGHTS_OF_A_BUSHEL = [32, 48, 56, 60];

const fullNameOf = ({ list, name }: Named) => (list === undefined ? name : `${list}.${name}`);
const filledOf = ({ texts }: Named) => texts.filter((text) => text !== '');
const isTime = (column: Named) => filledOf(column).every((text) => TIME.test(text));

function isDate(column: Named): boolean {
  if (column.values.some((value) => value instanceof Moment && value.shows !== 'time')) return true;
  const texts = filledOf(column).filter((text) => !NO_DATE.test(text) && !NO_VALUE.test(text));
  return formsFor(texts).length > 0 || texts.every((text) => readDate(text, []));
}

/** Drafts the record of columns: what their names and all values that were seen agree on. All others stand under "?". */
export class RecordDraft {
  private readonly columns: readonly Named[];
  private readonly schema: TObject;
  private readonly used = new Set<Named>();
  private readonly record: Item = {};
  private readonly guesses = new Map<string, unknown>();
  private readonly missing: string[];
  /** Columns whose cells differ between rows of one id. */
  private ofRows: readonly Named[] = [];
  private readonly forms: (readonly string[])[] = [];
  private readonly numbers: Mapping['numbers'];
  private table: Pick<Mapping, 'rows' | 'gather' | 'fill_down'> = {};

  constructor(
    columns: readonly DraftColumn[],
    private readonly type: Mapping['type'],
    /** Another sheet may have the same ids, for which one needs the site before them. */
    private readonly isOneOfSeveral: boolean,
  ) {
    this.schema = commandOf(type).schema;
    this.columns = columns
      .map((column) => {
        const [, list, name = column.name] =
          (column.isPath && !column.isOutside && LIST.exec(column.name)) || [];
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
    const order = Object.keys(this.schema.properties);
    const fields = order.filter(
      (field) => !/^id$|_uom$/.test(field) && !knownField(this.schema, field)!.items,
    );
    const columns = this.own().filter(({ index }) => index === '');
    const names = fields.map((field) => [field, waysOf(this.type, field)] as const);
    this.draftFields(this.record, names, this.schema, columns);
    this.draftUnits();
    const dates = this.datesOf();
    const record = order.filter((field) => Object.hasOwn(this.record, field));
    const seen = (column: Named) => [...new Set(filledOf(column))].slice(0, SHOWN_VALUES);
    const others = this.free().map((column) => [fullNameOf(column), seen(column)] as const);
    const guesses = new Map([...others, ...this.guesses]);
    return {
      ...this.table,
      ...(this.missing.length > 0 && { missing_values: this.missing }),
      ...(this.numbers && { numbers: this.numbers }),
      ...(dates.length > 0 && { dates }),
      record: Object.fromEntries(record.map((field) => [field, this.record[field]])),
      ...(guesses.size > 0 && { '?': Object.fromEntries(guesses) }),
    };
  }

  private free = () => this.columns.filter((column) => !this.used.has(column));
  /** The columns of the record's own that have no field yet. */
  private own = () =>
    this.free().filter((column) => !this.ofRows.includes(column) && column.list === undefined);

  private take(column: Named): string {
    this.used.add(column);
    return column.name;
  }

  private draftId(): void {
    const isId = (column: Named) => filledOf(column).length > 0 && says(column.words, IDS[this.type]!);
    const [id, another] = this.own().filter(isId);
    if (!id) return;
    if (!id.isPath) this.draftRows(id);
    const found =
      another || this.type === 'accounts' ? undefined : this.own().find(({ words }) => words === 'site');
    const site = found && (found.isOutside || new Set(filledOf(found)).size > 1) ? found : undefined;
    if (this.isOneOfSeveral)
      this.guesses.set('id', { from: [{ value: 'the site of the sheet' }, id.name], join: '-' });
    else this.record['id'] = site ? { from: [site.name, id.name], join: '-' } : id.name;
    this.used.add(id);
    const number = this.type.replace(/s$/, '_number');
    const numbered = another ?? id;
    if (Object.hasOwn(this.schema.properties, number) && !/id$/i.test(numbered.name))
      this.record[number] = this.take(numbered);
    if (site) this.record['elevator_id'] = this.take(site);
    if (!id.isPath)
      this.draftGathered(id.texts.map((text, row) => text && `${site?.texts[row] ?? ''} ${text}`));
  }

  /** Tells rows that are no record, as totals are, and rows that continue the one above. */
  private draftRows(id: Named): void {
    const ways =
      this.type === 'contracts' ? LISTS['pricing_lines']!['line_number'] : LISTS['splits']!['account_id'];
    const detail = this.columns.find(({ words }) => says(words, ways!));
    const shape = mostlyOf(id);
    const ofDetail = detail && mostlyOf(detail);
    const isOf = (pattern: string, text: string) => new RegExp(`^(?:${pattern})$`).test(text);
    const widest = Math.max(...id.texts.map((_, row) => this.widthOf(row)));
    const isRecord = id.texts.map((text, row) => {
      if (isOf(shape, text)) return this.widthOf(row) * 3 > widest;
      const isLike = text !== '' && (/\d/.test(text) || !shape.includes('\\d'));
      return isLike && this.widthOf(row) * 4 > widest * 3;
    });
    this.fillGroups(isRecord);
    const isDetail = id.texts.map(
      (text, row) => text === '' && detail !== undefined && isOf(ofDetail!, detail.texts[row]!),
    );
    if (isDetail.includes(true)) {
      this.table = { fill_down: [...(this.table.fill_down ?? []), id.name], gather: true };
      const isOfRows = ({ texts }: Named) => texts.some((text, row) => isDetail[row] && text !== '');
      this.ofRows = this.columns.filter(isOfRows);
    }
    const out = id.texts.filter((_, row) => !isRecord[row] && !isDetail[row]);
    if (out.length === 0) return;
    const records = id.texts.filter((_, row) => isRecord[row]);
    const digits = records[0]!.length;
    const isTaken = out.some((text) => isOf(shape, text));
    const pattern = isTaken && records.every(({ length }) => length === digits) ? `\\d{${digits}}` : shape;
    const test = records.every((text) => isOf(shape, text)) ? { pattern } : { not: [...new Set(out)] };
    const rows = this.table.gather ? { [detail!.name]: { pattern: ofDetail } } : { [id.name]: test };
    this.table = { rows, ...this.table };
    for (const column of this.columns)
      column.texts = column.texts.map((text, row) => (isRecord[row] || isDetail[row] ? text : ''));
  }

  /** A column that stands alone in rows between the records is filled down. */
  private fillGroups(isRecord: readonly boolean[]): void {
    const isAlone = (row: number) => !isRecord[row] && this.widthOf(row) === 1;
    const isGroup = ({ texts }: Named) => texts.every((text, row) => text === '' || isAlone(row));
    const groups = this.columns.filter((column) => filledOf(column).length > 1 && isGroup(column));
    if (groups.length === 0) return;
    this.table = { fill_down: groups.map(({ name }) => name) };
    for (const column of groups) {
      let above = '';
      column.texts = column.texts.map((text) => (above = text || above));
    }
  }

  private widthOf = (row: number) => this.columns.filter(({ texts }) => texts[row] !== '').length;

  /** Gathers the rows of an id that comes again. @param ids of each row, '' for none */
  private draftGathered(ids: readonly string[]): void {
    const isAgain = ids.some((id, row) => id !== '' && ids.indexOf(id) < row);
    if (!isAgain) return;
    this.table = { ...this.table, gather: true };
    const differs = ({ texts }: Named) => texts.some((text, row) => text !== texts[ids.indexOf(ids[row]!)]);
    this.ofRows = [...this.ofRows, ...this.free().filter(differs)];
  }

  private draftTimes(): void {
    const find = (ways: string, is: (column: Named) => boolean) =>
      this.own().find((column) => says(column.words, ways) && is(column));
    const day = find('day|day in|day ticket|shipped|in', isDate);
    const out = find('day out|out', isDate);
    const [inAt, outAt] = [
      find('time|time in|in|gross time', isTime),
      find('time out|out|tare time', isTime),
    ];
    this.draftTime('weigh_in_at', day, inAt);
    this.draftTime('weigh_out_at', out ?? (outAt && day), outAt);
  }

  private draftTime(field: string, day: Named | undefined, time: Named | undefined): void {
    if (!day) return;
    this.record[field] = time ? { from: [this.take(day), this.take(time)] } : this.dateOf(day);
    const joined = time && day.texts.map((text, row) => text && `${text} ${time.texts[row]}`);
    if (joined) this.forms.push(formsFor(joined.filter((text) => text !== '')));
    if (time || formsFor(filledOf(day)).length > 0)
      this.guesses.set('time_zone', 'whose time it is, such as America/Chicago');
    this.used.add(day);
  }

  private draftLists(): void {
    for (const [list, names] of Object.entries(LISTS)) {
      const fields = Object.entries(names);
      const items = this.schema.properties[list]?.['items'] as TObject | undefined;
      if (!items) continue;
      const drafted = [...this.groupsOf(list, Object.values(names))].flatMap(([each, columns]): Item[] => {
        const item: Item = {};
        const before = [...this.used];
        this.draftFields(item, fields, items, columns, `${list}.`);
        if (fields.slice(0, 2).every(([field]) => Object.hasOwn(item, field)))
          return [each.endsWith('[]') || each === 'rows' ? { each, item } : item];
        for (const column of columns) if (!before.includes(column)) this.used.delete(column);
        return [];
      });
      if (list === 'grade_factors' && drafted.length === 0) drafted.push(...this.factorsOf(items));
      if (drafted.length > 0)
        this.record[list] = drafted.length === 1 && drafted[0]!['each'] !== undefined ? drafted[0] : drafted;
    }
    const phones = this.own().filter(({ words }) => words.split(' ').includes('phone'));
    if (phones.length > 0 && this.type === 'accounts')
      this.record['phones'] = phones.map((column) => ({ phone: this.take(column) }));
  }

  /** The columns of each item of a list: those of rows, of a list of JSON, or of one number. */
  private groupsOf(list: string, ways: readonly string[]): Map<string, Named[]> {
    const groups = new Map<string, Named[]>();
    for (const column of this.free()) {
      const isNamed = column.words === 'contract site' || ways.some((way) => says(column.words, way));
      if (isNamed && (column.list || list !== 'grade_factors'))
        addTo(groups, column.list ?? (this.ofRows.includes(column) ? 'rows' : column.index), column);
    }
    const [whole, first] = [groups.get(''), groups.get('1')];
    if (whole && first && !first.some(({ words }) => words.includes('account'))) {
      groups.delete('');
      groups.set('1', [...whole, ...first]);
    }
    return groups;
  }

  /** The columns of one grade factor each. */
  private factorsOf(items: TObject): Item[] {
    return this.own().flatMap((column) => {
      const code = factorOf(column.words);
      const result = code && this.sourceOf(column, 'result', items, 'grade_factors.');
      if (!result) return [];
      this.used.add(column);
      return { result, code: { value: code } };
    });
  }

  private draftFields(
    into: Item,
    fields: readonly (readonly [name: string, ways: string])[],
    schema: TObject,
    columns: readonly Named[],
    list = '',
  ): void {
    for (const [field, ways] of fields) {
      const isSure = (one: Named) => filledOf(one).length > 0 || plainName(one.name) === plainName(field);
      const is = (one: Named) => isSure(one) && says(one.words, ways);
      const column = columns.find((one) => !this.used.has(one) && is(one));
      const source = column && !Object.hasOwn(into, field) && this.sourceOf(column, field, schema, list);
      if (!source) continue;
      const site = field === 'contract_id' && columns.find(({ words }) => words === 'contract site');
      into[field] = site ? { from: [this.take(site), column.name], join: '-' } : source;
      this.used.add(column);
      this.guesses.delete(fullNameOf(column));
    }
  }

  /** A column as the source of a field; undefined where a value does not fit, or is a code that nobody can know. */
  private sourceOf(column: Named, field: string, schema: TObject, list: string): Source | undefined {
    const { kind } = knownField(schema, field)!;
    if (isDateKind(kind)) return isDate(column) ? this.dateOf(column) : undefined;
    const texts = this.valuesOf(column);
    const { examples = [] } = schema.properties[field] as { examples?: string[] };
    if (examples.length > 0 || field === 'commodity')
      return this.codesOf(column, field, list, texts, examples);
    const isId = kind === 'id' || kind === 'year';
    const isNone = (text: string) => (isId && /^0+$/.test(text)) || (kind === 'number' && NONE.test(text));
    const habits = { dates: [], numbers: { decimal_char: '.', group_char: ',', ...this.numbers } };
    const isRead = (value: unknown) => {
      const text = textIn(value);
      const isValue = texts.includes(text) && !isNone(text);
      return !isValue || !(readValue(kind, text, value, habits) instanceof Unreadable);
    };
    return column.values.every(isRead) ? sourceWithout(column, texts.filter(isNone)) : undefined;
  }

  private valuesOf = (column: Named) =>
    [...new Set(filledOf(column))].filter((text) => !this.missing.includes(text));

  private dateOf(column: Named): Source {
    const texts = this.valuesOf(column);
    const none = texts.filter((text) => NO_DATE.test(text));
    const read = texts.filter((text) => !none.includes(text) && column.values.includes(text));
    if (read.length > 0) this.forms.push(formsFor(read));
    return sourceWithout(column, none);
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
    const isBushel = this.type === 'tickets' && this.isOfBushels();
    this.draftUnit('weight_uom', ['gross_weight', 'net_weight'], isBushel ? 'lb' : undefined);
    this.draftUnit('units_uom', ['net_units', 'gross_units', 'dockage_units'], isBushel ? 'bu' : undefined);
    this.draftUnit('uom', ['quantity'], undefined);
  }

  private draftUnit(unit: string, fields: readonly string[], otherwise: string | undefined): void {
    const names = fields.map((field) => this.record[field]).filter((name) => name !== undefined);
    if (names.length === 0 || !Object.hasOwn(this.schema.properties, unit) || this.record[unit]) return;
    const words = names.flatMap((name) =>
      typeof name === 'string' ? name.toLowerCase().split(/[^a-z]+|(?<=net)(?=bu)/) : [],
    );
    const said = words.map((word) => meaningOf('uom', word, UNITS)).find((one) => one !== undefined);
    if (said ?? otherwise) this.record[unit] = { value: said ?? otherwise };
  }

  private isOfBushels(): boolean {
    const of = (field: string) => this.columns.find(({ name }) => name === this.record[field])?.texts ?? [];
    const [weights, gross, net] = [of('net_weight'), of('gross_units'), of('net_units')];
    const figure = (text = '') => Number(text.replace(/,/g, ''));
    const ratios = weights.map((text, row) => figure(text) / figure(gross[row] || net[row]));
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

const sourceWithout = ({ name }: Named, none: readonly string[]): Source =>
  none.length > 0 ? { from: name, missing_values: none } : name;

/** A pattern for most of a column's values: `BILL-\\d+`. */
function mostlyOf(column: Named): string {
  const counts = new Map<string, number>();
  for (const text of filledOf(column)) {
    const shape = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\d+/g, '\\d+');
    counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? '';
}
