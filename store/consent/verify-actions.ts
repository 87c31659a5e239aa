import { timeNow } from '../../domain/time/elapsed';
import type { Store } from '../store';
import {
  type ActionLink,
  actionLinks,
  contentOf,
  erasedMark,
  type Kept,
  kept,
  KEPT_FOR_GOOD,
  LATEST_MS,
  linkHash,
  readChainKey,
} from './action-chain';
import { BEGINNING } from './consents';

/** One action, outcome or link that is not what it was. */
interface Broken {
  /** That of the action, of an outcome with `/outcome`; or `link` and its number. */
  id: string;
  why: string;
}

export interface ActionsVerdict {
  links: number;
  /** The hash of the last link. */
  head: string | null;
  broken: Broken[];
  /** Linked more than an hour after their date: inserted later, unless no worker ran. */
  late: string[];
  /** Recorded since the worker last looked. */
  unlinked: number;
}

/**
 * Compares what operators did with the chain over it, and names each that was changed, removed or inserted later.
 * @param heads ends of the chain as they were posted, by number
 */
export async function verifyActions(
  store: Store,
  heads: ReadonlyMap<number, string>,
  now = timeNow(),
): Promise<ActionsVerdict> {
  const key = await readChainKey(store);
  // Read before the actions: what is linked is there, unless it was removed.
  const links = await actionLinks(store).find().sort({ _id: 1 }).toArray();
  const last = links.at(-1);
  const broken = chainFlaws(key, links, heads);
  const left = new Map(links.map((link) => [link.of, link]));
  const late: string[] = [];
  let unlinked = 0;
  for await (const action of kept(store).find(KEPT_FOR_GOOD)) {
    const link = left.get(action._id);
    left.delete(action._id);
    if (link) broken.push(...contentFlaws(key, action, link));
    if (link && link.at > links[0]!.at && isLate(action, link.at)) late.push(action._id);
    if (!link && last && isLate(action, last.at < now ? last.at : now))
      broken.push({ id: action._id, why: 'it is not in the chain: it was inserted later' });
    else if (!link) unlinked += 1;
  }
  for (const { of, _id } of left.values())
    broken.push({ id: of, why: `it is missing: link ${_id} names it` });
  return { links: links.length, head: last?.hash ?? null, broken, late, unlinked };
}

const isLate = ({ at }: Kept, linked: Date) => !(linked.getTime() - at?.getTime() <= LATEST_MS);

function contentFlaws(key: Buffer, action: Kept, { content }: ActionLink): Broken[] {
  if (contentOf(key, action) === content || erasedMark(key, action) === action.erased) return [];
  return [{ id: action._id, why: 'it was changed' }];
}

function chainFlaws(key: Buffer, links: ActionLink[], heads: ReadonlyMap<number, string>): Broken[] {
  let [number, previous] = [0, BEGINNING];
  for (const link of links) {
    number += 1;
    const why = linkFlaw(key, link, number, previous, heads.get(number));
    if (why) return [{ id: `link ${number}`, why }];
    previous = link.hash;
  }
  const cut = [...heads.keys()].find((head) => head > number);
  if (cut === undefined) return [];
  const why = `it is missing, and ${cut} was posted as head: the end was cut off`;
  return [{ id: `link ${number + 1}`, why }];
}

function linkFlaw(key: Buffer, link: ActionLink, number: number, previous: string, head?: string) {
  if (link._id !== number) return 'it is missing';
  if (link.previous !== previous) return 'it does not hold the hash of the one before';
  if (linkHash(key, link) !== link.hash) return 'it was changed';
  return head !== undefined && head !== link.hash ? 'it is not the one that was posted as head' : undefined;
}
