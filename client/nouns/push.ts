import { type Command, Option } from 'commander';
import { stat } from 'node:fs/promises';
import { type RecordType, RECORD_TYPES } from '../../domain/records/commands';
import { CliError, EXIT, UsageError } from '../cli-error';
import type { ServiceSettings } from '../service/open-service-settings';
import type { ReadsEnvelope } from '../run-command';
import { wordOf, timeOption, wholeNumber } from '../parse-options';
import { note, type Output, printJson } from '../print';
import { draftMapping } from '../push/draft-mapping';
import { readMapping } from '../push/mapping';
import type { Mapping } from '../push/mapping-schema';
import { commandOf } from '../push/plan';
import { PUSHABLE } from '../push/open-file';
import { createProgress } from '../push/progress';
import { createPushClient } from '../push/push-client';
import { notePassedOver, pushAll, pushWatched, sayComplete } from '../push/push-files';
import type { PushOrders } from '../push/push-orders';
import { showRecords } from '../push/show-records';
import { filesOf } from '../push/watch-folder';
import { readTarget } from '../service/read-target';
import { FileProblem } from '../file-problem';

interface Options {
  mapping?: string;
  draft?: RecordType;
  sheet?: string;
  show?: number;
  url?: string;
  tokenFile?: string;
  batch: number;
  retryFor: number;
  every: number;
  watch?: true;
  dryRun?: true;
  again?: true;
  deleteAtMost?: number;
  completeThrough?: string;
}

export function pushCommands(push: Command, { reads }: ReadsEnvelope): void {
  reads(
    push
      .argument('<files...>', `files (${PUSHABLE}; fixed width too), or one folder of them`)
      .option('--mapping <file>', 'which column is which field: `/guide/files` of the service')
      .addOption(
        new Option('--draft <type>', 'print a mapping to begin with, from the beginning of a file').choices(
          RECORD_TYPES,
        ),
      )
      .option('--sheet <name>', 'of a workbook, the sheet that --draft looks at')
      .option(
        '--show <records>',
        'print the first records as they would be pushed, beside their cells; sends nothing',
        wholeNumber(1, 99),
      )
      .option('--url <url>', 'the service. Unset: GDX_PUBLIC_URL, else a running `npm start`')
      .option('--token-file <file>', 'holds the token. Unset: GDX_TOKEN')
      .option('--dry-run', 'check everything, also by the service; store nothing, keep no checkpoint')
      .option('--watch', 'stay, and push each file that comes into the folder')
      .addOption(timeOption('--every <time>', 'how often to look into the folder', '10s'))
      .option('--batch <records>', 'records of one request', wholeNumber(1, 5_000), 1_000)
      .addOption(
        timeOption(
          '--retry-for <time>',
          'how long to try again while the service does not answer; with --watch for ever',
          '15m',
        ),
      )
      .option('--again', 'push a file that was pushed before, from its beginning')
      .option(
        '--delete-at-most <percent>',
        'how much a whole file may delete, this once',
        wholeNumber(0, 100),
      )
      .option(
        '--complete-through <day>',
        'say, once all is pushed, that the type is complete up to this day; customers are told',
        wordOf,
      )
      .option('--json', 'one JSON document on stdout; with --watch one a file'),
    async (call, files: string[], options: Options) => {
      const { draft, watch, completeThrough } = options;
      if (draft) return printDraft(files, draft, options.sheet);
      if (options.show !== undefined) return printShown(files, await mappingOf(options), options.show);
      const orders = await ordersOf(await call.serviceSettings(), options);
      endWhenStopped(orders);
      if (watch && completeThrough)
        throw new UsageError('--complete-through is for files that end', 'leave out --watch');
      if (watch)
        return pushWatched(oneOf(files, '--watch takes one folder'), options.every, orders, call.json);
      const all = await listed(files);
      if (completeThrough && all.length === 0)
        throw new CliError(
          `nothing is there to push: it is not said that ${orders.mapping.type} are complete through ${completeThrough}`,
          'see why the export is missing; if there was nothing to export, push a file without records',
        );
      const isAlone = all.length === 1 && all[0] === files[0];
      const { pushed, failed } = await pushAll(all, { ...orders, isAlone });
      if (completeThrough && failed.length === 0) await sayComplete(completeThrough, orders);
      const table = pushed.map(({ deleted_ids: _, ...one }) => one);
      return { json: { data: pushed }, table, error: failed[0] };
    },
  );
}

async function mappingOf({ mapping }: Options): Promise<Mapping> {
  if (mapping !== undefined) return readMapping(mapping);
  throw new UsageError('--mapping is missing', 'a first one: gdx push <file> --draft tickets > mapping.json');
}

async function ordersOf(settings: ServiceSettings, options: Options): Promise<PushOrders> {
  const mapping = await mappingOf(options);
  const { url, token, target } = await readTarget(settings, 'erp', options);
  const progress = createProgress();
  const retryForMs = options.watch ? undefined : options.retryFor;
  return {
    client: createPushClient({
      url,
      token,
      retryForMs,
      isPatient: options.watch ?? false,
      onWait: progress.waiting,
    }),
    mapping,
    batchSize: options.batch,
    dryRun: options.dryRun ?? false,
    again: options.again ?? false,
    deleteAtMost: options.deleteAtMost,
    target,
    progress,
  };
}

/** The checkpoint has the progress, so the push may end at any moment. */
function endWhenStopped({ progress }: PushOrders): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      progress.end();
      note('gdx: stopped; run the same again to continue');
      process.exit(EXIT.stopped);
    });
}

/** Each file of the arguments, and those of a folder. */
async function listed(files: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const file of files) {
    const kind = await stat(file).catch(() => undefined);
    if (!kind) throw new UsageError(`there is no ${file}`, 'name files or a folder');
    if (!kind.isDirectory()) found.push(file);
    else {
      const { files: inside, passedOver } = await filesOf(file);
      found.push(...inside);
      for (const [name, why] of passedOver) notePassedOver(name, why);
    }
  }
  if (found.length === 0) note(`No file to push is there: ${PUSHABLE}.`);
  return found;
}

/** The service is not asked, so neither address nor token is needed. */
async function printShown(files: string[], mapping: Mapping, count: number): Promise<Output> {
  const file = oneOf(await listed(files), '--show takes one file');
  const { text, notes, ...shown } = await showRecords(file, mapping, count).catch((error: unknown) => {
    throw error instanceof FileProblem ? new CliError(`${file} ${error.message}`, error.advice) : error;
  });
  return {
    json: { ...shown, notes },
    text,
    notes: [
      ...shown.problems.map((problem) => `${file} ${problem}`),
      ...notes.map((one) => `${file}: ${one}`),
    ],
  };
}

const ONE_TO_DRAFT = '--draft takes one file';

function oneOf(files: readonly string[], otherwise: string): string {
  const [file, ...others] = files;
  if (file !== undefined && others.length === 0) return file;
  throw new UsageError(otherwise, 'name it alone');
}

async function printDraft(files: string[], type: RecordType, sheet?: string): Promise<void> {
  const file = oneOf(await listed([oneOf(files, ONE_TO_DRAFT)]), ONE_TO_DRAFT);
  const draft = await draftMapping(file, type, sheet).catch((error: unknown) => {
    throw error instanceof FileProblem ? new CliError(`${file} ${error.message}`, error.advice) : error;
  });
  printJson(draft);
  const { properties, required = [] } = commandOf(type).schema;
  const without = Object.keys(properties).filter((field) => !Object.hasOwn(draft.record ?? {}, field));
  const needed = without.filter((field) => (required as string[]).includes(field));
  const left = Object.keys((draft['?'] as object | undefined) ?? {}).length;
  if (needed.length > 0) note(`Still to be given a column: ${needed.join(', ')}.`);
  if (left > 0)
    note(
      `${left} under "?" are not sure, or have no field: move into "record" those that are needed. Fields that are left: ${without.join(', ')}; /guide/records of the service says what each is.`,
    );
}
