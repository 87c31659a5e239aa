import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { anchorsOf } from './anchors';
import { checkout } from '../../tools/local/checkout';
import { type Doc, NOT_OURS } from './read-docs';

// What follows a quotation mark, a dot or a slash is a path in code, an import or an address.
const START = "(?<![\\w/.@<'-])";
const HOUSE = readdirSync(checkout)
  .filter((name) => /^[a-z]+$/.test(name) && !NOT_OURS.has(name))
  .join('|');
const FILE = new RegExp(
  `${START}((?:[\\w-]+/)*[\\w.-]+\\.md|docs/[\\w./-]+|(?:${HOUSE})/[\\w./-]+\\.\\w+)(#[\\w-]+)?(?![\\w*{/-])`,
  'g',
);
const PROMISES = /docs\/contract\.md,? ([A-Z]\d+(?:, [A-Z]\d+)*)/g;
const DECISION = /\bdecision (\d+)/g;

// Names of pages that were never in the repository.
const PAGE =
  'contract|design|spec|commit-order|delivery|operators|proof|performance|toolchain|security|farmer-page';
const OLD = [
  new RegExp(`(?<![\\w/-])(?:${PAGE}) \\d+(?!\\d*[ ,]*\\d*(?:[%a-z]|\\S*:\\d))`, 'gi'),
  new RegExp(`(?<![\\w/-])(?:${PAGE}), (?:"|“|signing|security|[A-Z]\\d)`, 'g'),
  /specification \(\d/g,
];
const OLD_IN_COMMENTS = new RegExp(`\\((?:${PAGE})[,:)]`, 'g');

const decisions = readdirSync(path.join(checkout, 'docs/decisions')).join('\n');
const promises = new Set(
  [...read('docs/contract.md').matchAll(/^- \*\*([A-Z]\d+)\*\*/gm)].map(([, id]) => id!),
);

/** Every citation of a file that leads nowhere in this repository. */
export function brokenCitations({ file, text }: Doc): string[] {
  const plain = file.endsWith('.md') ? withoutLinks(text) : text;
  return [
    ...found(FILE, plain).filter(([, target, anchor]) => !leads(file, target!, anchor)),
    ...found(PROMISES, plain).filter(([, ids]) => !ids!.split(', ').every((id) => promises.has(id))),
    ...found(DECISION, plain).filter(([, number]) => !isDecision(number!)),
    ...OLD.flatMap((old) => found(old, plain)),
    ...found(OLD_IN_COMMENTS, commentsOf(plain)),
  ].map(([citation]) => citation);
}

const found = (form: RegExp, text: string) => [...text.matchAll(form)];

// The test of the links looks at those, beside the page they stand in.
const withoutLinks = (text: string) => text.replace(/\[[^\]]*\]\([^)\s]+\)/g, '');

const commentsOf = (text: string) => found(/\/\*[\s\S]*?\*\/|\/\/.*$|#.*$/gm, text).join('\n');

function leads(from: string, cited: string, anchor: string | undefined): boolean {
  const target = cited.replace(/[./-]+$/, '');
  const number = /^docs\/decisions\/(\d{4})$/.exec(target)?.[1];
  if (number) return isDecision(number);
  const places = [target, path.join(path.dirname(from), target)];
  const place = places.find((one) => existsSync(path.join(checkout, one)));
  if (place === undefined) return false;
  return anchor === undefined || anchorsOf(read(place)).includes(anchor.slice(1));
}

const isDecision = (number: string) => new RegExp(`^${number.padStart(4, '0')}-`, 'm').test(decisions);

function read(file: string): string {
  return readFileSync(path.join(checkout, file), 'utf8');
}
