import type { PlantedFault } from './planted-fault';

const SOURCE = /(\S+)\n/y;
/** Its name and consequence, the lines of its text, the test. */
const FAULT = /  ([a-z\d-]+): (.+)\n((?:    \|.*\n)+)    > (\S+)( \(bundled\))?: (.+)\n/y;
const BLANK = /\n/y;

/** The text of a list of faults is not written as README.md says. */
export class UnreadableFaults extends Error {
  override name = 'UnreadableFaults';
}

/**
 * Reads a list of faults: README.md says how they are written.
 * @param list what the list is called in an error
 * @throws UnreadableFaults
 */
export function readFaults(text: string, list: string): PlantedFault[] {
  const faults: PlantedFault[] = [];
  let file = '';
  let at = 0;
  const next = (form: RegExp) => {
    form.lastIndex = at;
    const read = form.exec(text);
    if (read) at = form.lastIndex;
    return read;
  };
  while (at < text.length) {
    if (next(BLANK)) continue;
    const source = next(SOURCE);
    const fault = source || file === '' ? null : next(FAULT);
    if (fault) faults.push(faultOf(file, fault));
    else if (source) file = source[1]!;
    else throw unreadable(list, text.slice(0, at));
  }
  return faults;
}

function faultOf(
  file: string,
  [, name, consequence, lines, path, bundled, test]: RegExpExecArray,
): PlantedFault {
  return {
    name: name!,
    file,
    ...readMarked(lines!.replace(/^    \| ?/gm, '').slice(0, -1)),
    consequence: consequence!,
    test: { path: `test/${path}.test.ts`, name: test! },
    ...(bundled ? { bundled: true } : {}),
  };
}

/** Of `a[-b-]{+c+}` the text to find is `ab`, and `ac` takes its place. */
function readMarked(marked: string): Pick<PlantedFault, 'find' | 'replace'> {
  const added = /\{\+(.*?)\+\}/gs;
  const removed = /\[-(.*?)-\]/gs;
  return {
    find: marked.replace(added, '').replace(removed, '$1'),
    replace: marked.replace(removed, '').replace(added, '$1'),
  };
}

function unreadable(list: string, before: string): UnreadableFaults {
  const line = before.split('\n').length;
  return new UnreadableFaults(
    `${list}:${line}: no source file and no whole fault begins here; test/planted/README.md shows what one looks like`,
  );
}
