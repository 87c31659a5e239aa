import type { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { createConnections } from '../../cli/connections';
import { createProgram } from '../../cli/create-program';
import { nightlyTest, slowTest } from '../setup/cases';
import '../setup/fake-customer'; // its check after each test is registered before the first one runs
import { openCliScene, type CliScene } from './open-cli-scene';
import { channelCases } from './command-cases/channel-cases';
import type { CommandCase } from './command-cases/command-case';
import { erpCases } from './command-cases/erp-cases';
import { farmerCases } from './command-cases/farmer-cases';
import { feedCases } from './command-cases/feed-cases';
import { integrationCases } from './command-cases/integration-cases';
import { secretsCases } from './command-cases/secrets-cases';
import { serviceCases } from './command-cases/service-cases';
import { figuresOf } from '../../cli/report/figures';
import { readReport, type Report } from '../../cli/report/read-report';
import { renderReport } from '../../cli/report/render-report';
import { type Channel, findChannel } from '../../store/channels/channels';
import {
  closeDeliveryReport,
  type DeliveryDocument,
  reportProgress,
} from '../../store/deliveries/deliveries';
import { temporaryFolder } from '../setup/temporary-folder';

describe('commands', () => {
  const CASES: Record<string, CommandCase> = {
    ...{ ...channelCases, ...integrationCases, ...farmerCases, ...feedCases },
    ...{ ...secretsCases, ...serviceCases, ...erpCases },
  };
  const nobody = () => Promise.reject(new Error('no command is run here'));

  /** The words of every command, as in `channel add`. */
  function commandsOf(command: Command, words: string[] = []): string[][] {
    const below = command.commands.filter((child) => child.name() !== 'help');
    // `subscriptions` is a command, and the group of `subscriptions revoke`.
    const own = below.length === 0 || command.registeredArguments.length > 0 ? [words] : [];
    return [...own, ...below.flatMap((child) => commandsOf(child, [...words, child.name()]))];
  }

  const program = createProgram(createConnections(nobody, nobody), nobody);
  const commands = commandsOf(program);
  const commandAt = (words: string[]) =>
    words.reduce<Command>((command, word) => command.commands.find((one) => one.name() === word)!, program);

  let scene: CliScene;
  beforeAll(async () => {
    scene = await openCliScene();
  });
  afterAll(() => scene.close());

  test('every command has its case (test/cli/README.md), and every case its command', () => {
    expect(Object.keys(CASES).sort()).toEqual(commands.map((words) => words.join(' ')).sort());
  });

  test('every command has --json and says what it does', () => {
    for (const words of commands) {
      const command = commandAt(words);
      expect([words, command.options.map(({ long }) => long)]).toEqual([
        words,
        expect.arrayContaining(['--json']),
      ]);
      expect([words, command.description()]).toEqual([words, expect.stringMatching(/.{10}/)]);
    }
  });

  const known = commands.map((words) => [words.join(' '), words] as const);
  describe.each(known.filter(([name]) => name in CASES))('gdx %s', (name, words) => {
    const commandCase = CASES[name]!;
    afterAll(() => commandCase.close?.());

    const changes = commandAt(words).options.some(({ long }) => long === '--reason');

    const run = async (own: string[] | undefined, ...more: string[]) =>
      scene.gdx([...words, ...(own ?? (await commandCase.prepare?.(scene)) ?? []), ...more]);

    test('table', async () => {
      const { table } = commandCase;
      const args = table.args ?? (await commandCase.prepare?.(scene)) ?? [];
      const before = await scene.fingerprint();
      const reason = `for ${words.join(' ')}`;
      const { exitCode, stdout, stderr } = await run([...args, ...(changes ? ['--reason', reason] : [])]);
      expect([exitCode, stdout, stderr]).toEqual([
        table.exitCode ?? 0,
        expect.stringMatching(table.says),
        expect.any(String),
      ]);
      // What reads changes nothing; what changes something has recorded who, why, what was there before and what came of it.
      if (!changes) return expect(await scene.fingerprint()).toBe(before);
      expect(await scene.recorded(reason)).toMatchObject([
        { by: userInfo().username, via: 'gdx', before: {}, outcome: expect.any(String), ...table.recorded },
      ]);
    });

    // what programs read, and errors: of a few commands here (gdx.test.ts, gdx-errors.test.ts), of each in the slow suite
    const answersPrograms = async () => {
      const { json } = commandCase;
      const answer = await run(json.args, '--json');
      expect([answer.exitCode, answer.stderr]).toEqual([json.exitCode ?? 0, expect.any(String)]);
      expect(answer.json()).toMatchObject(json.holds);
    };
    slowTest('--json', answersPrograms);
    nightlyTest('--json of the program itself', answersPrograms);

    slowTest('error', async () => {
      const { error } = commandCase;
      const answer = await run(error.args);
      expect([answer.exitCode, answer.stdout]).toEqual([error.exitCode, '']);
      expect(answer.stderr).toMatch(/^gdx: [^\n]+; [^\n]+\n$/);
      expect(answer.stderr).toMatch(error.says);
    });
  });
});

describe('report', () => {
  const EVIL = `</title></svg><script>alert(1)</script>"'&\u0007`;
  const FROM = new Date('2026-11-14T00:00:00Z');
  const TO = new Date('2026-11-21T00:00:00Z');

  const delivery = (run: number, changes: object = {}): Report['deliveries'][number] => ({
    _id: `delivery/acme/tickets/${run}`,
    channel: 'acme',
    entity_type: 'tickets',
    catch_up: false,
    run,
    trigger: 'schedule',
    status: 'delivered',
    failure: null,
    failure_message: null,
    from: 0,
    to: 9,
    pages: 1,
    records: 1_000,
    bytes: 9,
    failed_attempts: [],
    workflow_run_id: 'r',
    set_aside: 0,
    started_at: new Date(FROM.getTime() + run * 86_400_000),
    ended_at: new Date(FROM.getTime() + run * 86_400_000 + 60_000),
    expires_at: new Date('2099-01-01'), // MongoDB removes what has expired
    ...(changes as object),
  });

  interface Odd {
    paused?: Channel['paused'];
    pending_at_least?: true;
  }

  function render(name: string, deliveries: Report['deliveries'], { paused, ...cut }: Odd = {}): string {
    const types = ['accounts', 'tickets'];
    const channel = { _id: 'acme', name, state: 'active', entity_types: types, paused } as Channel;
    const counted = { pending_records: 4, ...cut };
    const marker = { entity_type: 'tickets' as const, timestamp: TO.toISOString(), ...counted };
    const markers = [{ ...marker, delivered_at: null, last_reset: null }];
    const report: Report = { channel, from: FROM, to: TO, deliveries, cut: false, markers };
    return renderReport(report, figuresOf(report));
  }

  const failed = {
    status: 'failed',
    failure: 'unauthorized',
    failure_message: `Acme answered 401 ${EVIL}`,
    records: 0,
    failed_attempts: [
      { at: FROM, failure: 'unauthorized', status: 401, reason: 'x', answer: `nope ${EVIL}` },
    ],
  };

  test('the page says in a sentence how it went, draws each delivery, and shows failures with the answer', () => {
    const page = render('Acme Crop Insurance', [delivery(1), delivery(3, failed), delivery(4)]);
    expect(page).toContain(
      '2,000 records confirmed in 3 deliveries; 1 failed, to be tried again by the next. 4 records waiting to be sent.',
    );
    expect(page.match(/<rect class="delivered" x=/g)).toHaveLength(2);
    expect(page.match(/<rect class="failed" x=/g)).toHaveLength(1);
    expect(page).toMatch(
      /<td>2026-11-17 00:00<\/td><td>tickets<\/td><td>Acme answered 401 .*<td>401<pre>nope /,
    );
    expect(page).toContain('<td>2026-11-21 00:00</td>');
  });

  test('nothing that others wrote becomes markup, and nothing is fetched', () => {
    const paused = { at: FROM, reason: EVIL };
    const page = render(EVIL, [delivery(1, failed), delivery(2)], { paused });
    expect(page).not.toMatch(/<script|alert\(1\)<|\u0007/);
    expect(page).toContain(
      '&lt;/title&gt;&lt;/svg&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;?',
    );
    expect(page).not.toMatch(/\b(src|href)=|url\(|@import|https?:/);
    const tags = [...page.matchAll(/<(\/?)(\w+)[^>]*?(\/?)>/g)].filter(
      ([, , name]) => !['meta'].includes(name!.toLowerCase()),
    );
    const open: string[] = [];
    for (const [, closing, name, empty] of tags) {
      if (closing) expect(open.pop()).toBe(name);
      else if (!empty) open.push(name!);
    }
    expect(open).toEqual([]);
  });

  test('what was not counted to its end is at least so much', () => {
    const [all, cut] = [
      render('Acme', [delivery(1)]),
      render('Acme', [delivery(1)], { pending_at_least: true }),
    ];
    expect(all).toContain('none failed. 4 records waiting to be sent.');
    expect(cut).toContain('none failed. At least 4 records waiting to be sent.');
  });

  test('of many failures the newest are shown, each with the last answer', () => {
    const at = (run: number) => {
      const [attempt] = failed.failed_attempts;
      const failed_attempts = ['first', 'last'].map((answer) => ({
        ...attempt,
        answer: `${answer} of ${run}.`,
      }));
      return delivery(run, { ...failed, started_at: new Date(FROM.getTime() + run), failed_attempts });
    };
    const page = render(
      'Acme',
      Array.from({ length: 52 }, (_, run) => at(run)),
    );
    const shown = [...page.matchAll(/<pre>(.*?)\.<\/pre>/g)].map(([, answer]) => answer);
    expect(shown).toEqual(Array.from({ length: 50 }, (_, index) => `last of ${51 - index}`));
    expect(page).toContain('<p>And 2 before these.</p>');
  });

  test('a quiet week says that nothing has changed', () => {
    expect(render('Acme', [])).toMatch(/Nothing was sent: nothing has changed\./);
  });

  describe('gdx report', () => {
    let scene: CliScene;
    const dir = temporaryFolder('report');
    beforeAll(async () => {
      scene = await openCliScene();
    });
    afterAll(() => scene.close());

    test('writes the page and tells the figures', async () => {
      const slug = await scene.addChannel();
      const id = await scene.addDelivery(slug);
      await reportProgress(scene.store, id, { pages: 1, records: 3, bytes: 9, set_aside: 0, probes: 0 });
      await closeDeliveryReport(
        scene.store,
        id,
        { status: 'delivered', failure: null, failure_message: null },
        1,
      );
      const html = path.join(dir, 'acme.html');
      const run = await scene.gdx(['report', slug, '--html', html, '--since', '24h', '--json']);
      expect(run.json()).toMatchObject({ deliveries: 1, failed: 0, records: 3, pending: 3, html });
      expect(readFileSync(html, 'utf8')).toMatch(
        /^<!doctype html>[^]*3 records confirmed in 1 delivery; none failed[^]*<\/html>\n$/,
      );
    });

    test('has every delivery of its days once, however many there are, and none of before or of another channel', async () => {
      const [slug, other] = [await scene.addChannel(), await scene.addChannel()];
      const now = Date.now();
      const at = (channel: string, run: number, ago: number) =>
        delivery(run, {
          _id: `delivery/${channel}/tickets/${run}`,
          channel,
          started_at: new Date(now - ago),
        });
      // Two of each start at the same time.
      const within = Array.from({ length: 401 }, (_, run) => at(slug, run, (run >> 1) * 1_000));
      await scene.store.db
        .collection<DeliveryDocument>('deliveries')
        .insertMany([...within, at(slug, 900, 25 * 3_600_000), at(other, 1, 0)]);
      const run = await scene.gdx(['report', slug, '--since', '24h', '--json']);
      expect(run.json()).toMatchObject({ deliveries: 401, records: 401_000 });
      const [from, to] = [new Date(now - 86_400_000), new Date(now)];
      const read = await readReport(scene.store, (await findChannel(scene.store, slug))!, from, to);
      const started = read.deliveries.map(({ started_at }) => started_at.getTime());
      expect(started).toEqual([...started].sort((one, other) => one - other)); // oldest first
    });

    test('prints the page where no file is named, and nothing beside it', async () => {
      const slug = await scene.addChannel();
      const run = await scene.gdx(['report', slug, '--html']);
      expect([run.exitCode, run.stderr]).toEqual([0, '']);
      expect(run.stdout).toMatch(/^<!doctype html>[^]*<\/html>\n$/);
    });

    test('says what is wrong with a span, with a file and with two answers on stdout', async () => {
      const slug = await scene.addChannel();
      const [most, span, file, two] = await Promise.all([
        scene.gdx(['report', slug, '--since', '30d']),
        scene.gdx(['report', slug, '--since', '31d']), // confirmed deliveries are gone by then
        scene.gdx(['report', slug, '--html', path.join(dir, 'no', 'where.html')]),
        scene.gdx(['report', slug, '--html', '--json']),
      ]);
      expect(most.exitCode).toBe(0);
      expect(span).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Use 1h to 30d') });
      expect([file.exitCode, file.stderr]).toEqual([
        1,
        expect.stringMatching(/cannot write .*\(ENOENT\); name another/),
      ]);
      expect([two.exitCode, two.stdout, two.stderr]).toEqual([
        2,
        '',
        expect.stringMatching(/both .* stdout; name a file/),
      ]);
    });
  });
});
