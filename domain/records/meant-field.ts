import type { TObject } from '@sinclair/typebox';
import { nearestName } from '../text/nearest-name';

/** What a name that a schema does not know may mean. */
interface MeantField {
  /** The lists whose items have a field of this name. */
  readonly lists: readonly string[];
  /** Where there is no such list, the most similar field. */
  readonly near?: string | undefined;
}

/** @param most the number of letters that may differ */
export function meantField({ properties }: TObject, name: string, most?: number): MeantField {
  const lists = Object.keys(properties).filter((list) => {
    const items = properties[list]!['items'] as TObject | undefined;
    return items !== undefined && Object.hasOwn(items.properties ?? {}, name);
  });
  return { lists, near: lists.length > 0 ? undefined : nearestName(name, Object.keys(properties), most) };
}

/** `is not a field: is it net_weight?` */
export function sayMeant({ lists, near }: MeantField): string {
  if (lists.length > 0) return `is not a field, but one of the items of ${lists.join(', ')}`;
  return `is not a field${near === undefined ? '' : `: is it ${near}?`}`;
}
