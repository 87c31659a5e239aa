/** One of the ways that docs/customer.md shows from a key to a table. */
export interface Way {
  /** All that has to be read, from the top of the page on. */
  read: string;
  /** What has to be typed: the blocks that begin with `# terminal N`, in order, those of both ways first. */
  blocks: { terminal: number; commands: string }[];
}

const BLOCK = /^```sh\n# terminal (\d)\n([\s\S]*?)^```/gm;

/**
 * @param page the text of docs/customer.md
 * @throws Error when the two ways are not the first that stands there
 */
export function readWays(page: string): { push: Way; pull: Way } {
  const [top, start, push, pull] = page.split(/^(?=#{2,3} )/m) as [string, string, string, string];
  const wayOf = (title: string, section: string): Way => {
    if (!section.startsWith(`### ${title}\n`)) throw new Error(`“${title}” does not stand first: ${section}`);
    const blocks = [...(start + section).matchAll(BLOCK)].map(([, terminal, commands]) => ({
      terminal: Number(terminal),
      commands: commands!,
    }));
    return { read: top + start + section, blocks };
  };
  return { push: wayOf('With push', push), pull: wayOf('With pull behind a closed network', pull) };
}
