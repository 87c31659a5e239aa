import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { checkout } from '../../tools/local/checkout';
import { askHouse } from '../lint/ask-house';
import { type BuildStage, isInContext, readDockerfile } from './read-dockerfile';

// `npm run test:image` builds deploy/Dockerfile; here it is read, so that `npm test` notices a folder it does not copy.

type Instruction = BuildStage['instructions'][number];
interface Tsconfig {
  extends?: string;
  files?: string[];
}

const stages = readDockerfile();
const compiling = stages.filter(({ instructions }) => instructions.some((each) => projectOf(each)));
const projects = compiling.flatMap(({ instructions }) =>
  instructions.flatMap((each) => projectOf(each) ?? []),
);
const reached = askHouse(`${JSON.stringify(projects.map(namedBy))}.map(reachedFrom)`) as string[][];

/** The tsconfig that an instruction compiles. */
function projectOf({ op, args }: Instruction): string | undefined {
  return op === 'RUN' ? /\btsc -p (\S+)/.exec(args)?.[1] : undefined;
}

function readTsconfig(file: string): Tsconfig {
  return JSON.parse(readFileSync(path.join(checkout, file), 'utf8')) as Tsconfig;
}

function namedBy(project: string): string[] {
  return (readTsconfig(project).files ?? []).map((file) => path.join(path.dirname(project), file));
}

/** A tsconfig and those that it extends. */
function chainOf(project: string): string[] {
  const { extends: base } = readTsconfig(project);
  return base ? [project, ...chainOf(path.join(path.dirname(project), base))] : [project];
}

/** A stage's instructions after those of the stages that it is built on. */
function allOf({ base, instructions }: BuildStage): Instruction[] {
  const before = stages.find(({ name }) => name === base);
  return before ? [...allOf(before), ...instructions] : instructions;
}

/** What an instruction copies from the checkout. */
function sourcesOf({ op, args }: Instruction): string[] {
  return op === 'COPY' && !args.startsWith('--from=') ? args.split(/\s+/).slice(0, -1) : [];
}

/** The samples that the client is bundled with, which the compiler does not see. */
function bundledBy({ args }: Instruction): string[] {
  if (!args.includes('bundle-client')) return [];
  const client = readFileSync(path.join(checkout, 'client/main.ts'), 'utf8');
  return [...client.matchAll(/import\('(\S+\.mjs)'/g)].map(([, file]) => path.join('client', file!));
}

/** The pages that the guide is made of, and what they link. */
function renderedBy({ args }: Instruction): string[] {
  if (!args.includes('render-guide')) return [];
  const linkedBy = (file: string) =>
    [...readFileSync(path.join(checkout, 'docs', file), 'utf8').matchAll(/\]\(([^:)#]+)/g)].map(
      ([, link]) => link!,
    );
  const pages = linkedBy('llms.txt').filter((link) => link.endsWith('.md'));
  const files = pages.flatMap(linkedBy).filter((link) => /^(samples|images)\//.test(link));
  return ['llms.txt', ...pages, ...files].map((file) => path.join('docs', file));
}

/** What the instructions read and have not been given. */
function missing(instructions: Instruction[]): string[] {
  const copied = instructions.flatMap(sourcesOf);
  const read = instructions.flatMap((each) => {
    const project = projectOf(each);
    if (project)
      return [
        ...chainOf(project),
        ...reached[projects.indexOf(project)]!,
        ...bundledBy(each),
        ...renderedBy(each),
      ];
    return each.args.startsWith('npm ci') ? ['package.json', 'package-lock.json'] : [];
  });
  const isGiven = (file: string) => copied.some((from) => file === from || file.startsWith(`${from}/`));
  return [...new Set(read)].filter((file) => !isGiven(file) || !isInContext(file));
}

test.each(stages.map((stage) => [stage.name, stage] as const))(
  '%s: all that it reads is copied, and .dockerignore lets it through',
  (_name, stage) => {
    expect(missing(allOf(stage))).toEqual([]);
    const unseen = stage.instructions
      .flatMap(sourcesOf)
      .filter((file) => !isInContext(file) || !existsSync(path.join(checkout, file)));
    expect(unseen).toEqual([]);
  },
);

test('no stage that compiles copies more than it needs: something is missing without any of its lines', () => {
  const idle = compiling.flatMap((stage) =>
    stage.instructions
      .filter((line) => sourcesOf(line).length > 0)
      .filter((line) => missing(allOf(stage).filter((each) => each !== line)).length === 0),
  );
  expect(idle).toEqual([]);
});

test('every program that the Dockerfile starts is compiled', () => {
  const programs = stages.flatMap(({ instructions }) =>
    instructions.flatMap(({ args }) =>
      [...args.matchAll(/\bdist\/(\S+?)\.js\b/g)].map(([, file]) => `${file}.ts`),
    ),
  );
  expect(reached.flat()).toEqual(expect.arrayContaining(programs));
  expect(programs).toHaveLength(6);
});

test('.nvmrc names the Node of the image', () => {
  const major = readFileSync(path.join(checkout, '.nvmrc'), 'utf8').trim();
  expect(stages[0]!.base).toMatch(new RegExp(`^node:${major}\\.`));
});

// Node 20 has ended, and machines that still have it have to work all the same.
test('CI plays everything on the Node of the image, and the quick tests on the oldest that package.json allows', () => {
  const [, major] = /^node:(\d+)\./.exec(stages[0]!.base)!;
  const { jobs } = parse(readFileSync(path.join(checkout, '.github/workflows/ci.yml'), 'utf8')) as {
    jobs: Record<string, { strategy?: { matrix: object }; steps: { with?: object }[] }>;
  };
  const { engines } = JSON.parse(readFileSync(path.join(checkout, 'package.json'), 'utf8')) as {
    engines: { node: string };
  };
  expect(jobs['full']!.steps).toContainEqual(
    expect.objectContaining({ with: expect.objectContaining({ 'node-version': Number(major) }) }),
  );
  const oldest = engines.node.replace('>=', '');
  expect(jobs['quick']!.strategy!.matrix).toEqual({ node: [oldest, expect.any(Number)] });
  for (const guide of ['README.md', 'CONTRIBUTING.md', 'docs/files.md', 'docs/customer.md'])
    expect([
      guide,
      new RegExp(`Node[^.]* ${major}\\b`).test(readFileSync(path.join(checkout, guide), 'utf8')),
    ]).toEqual([guide, true]);
});
