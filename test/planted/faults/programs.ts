import { type PlantedFault, testIn } from '../planted-fault';

/** In the processes that are started, `gdx`, and what operators are shown. */
export const PROGRAM_FAULTS: PlantedFault[] = [
  {
    name: 'stopping-worker-begins-pages',
    file: 'worker/main.ts',
    find: 'draining: () => stopping.aborted,',
    replace: 'draining: () => false,',
    consequence:
      'a worker that is told to stop begins pages until it is cut off in one, which goes out twice',
    test: testIn('workflows/worker-lost.slow')(
      'told to stop in mid page, the worker finishes the page, hands the rest back and exits with 0',
    ),
    bundled: true,
  },
  {
    name: 'unset-version-makes-itself-current',
    file: 'temporal/worker-versions.ts',
    find: 'routingConfig?.currentVersionChangedTime',
    replace: 'routingConfig?.currentDeploymentVersion',
    consequence:
      'an operator who goes back to workers without a version is overruled: the bad release takes over again',
    test: testIn('workflows/versioning.slow')(
      'a channel goes from version to version at the operator’s word',
    ),
  },
  {
    name: 'pushes-counted-every-half-minute',
    file: 'api/push/note-pushes.ts',
    find: '  line.waiting = undefined;\n',
    replace: '',
    consequence: 'an ERP’s records of the day grow every half minute though it has pushed nothing',
    test: testIn('api/push')(
      'what an integration pushed is counted once, however long it then pushes nothing',
    ),
  },
  {
    name: 'channel-there-before-its-beginning',
    file: 'cli/commands/channel-add.ts',
    find: 'await beginMarkers(store, slug, await startPositions(store, settings, since));',
    replace: 'void beginMarkers(store, slug, await startPositions(store, settings, since));',
    consequence:
      'a run plans a new channel before its markers are there: in spite of `--since now` it sends everything',
    test: testIn('cli/gdx')('are not there before their markers are'),
  },
  {
    name: 'noted-before-it-is-sent',
    file: 'cli/push/push-file.ts',
    find: '    const told = await sendBatch(file, batch, at, { ...orders, seen });\n    at.batches += 1;\n',
    replace:
      '    at.batches += 1;\n    if (!dryRun) await writeCheckpoint(file, at);\n    const told = await sendBatch(file, batch, at, { ...orders, seen });\n',
    consequence:
      'a `gdx push` that is killed within a batch goes on after it: a thousand records are never stored',
    test: testIn('cli/push')('a service that stays away ends it with 69, and the checkpoint stays'),
    bundled: true,
  },
  {
    name: 'parsing-takes-no-time',
    file: 'api/push/post-push.ts',
    find: 'await storePush(store, push, deadline)',
    replace: 'await storePush(store, push)',
    consequence:
      'a push that waited to be parsed is stored after its ERP was told that it failed, over something newer',
    test: testIn('api/push')('a push whose time is over while it waits to be parsed is not stored any more'),
  },
  {
    name: 'digest-that-nobody-reads',
    file: 'api/digest/stream-digest.ts',
    find: 'setTimeout(cutOff, left)',
    replace: 'setTimeout(() => {}, left)',
    consequence: 'four callers who read a byte now and then keep every other customer from a digest',
    test: testIn('api/digest')(
      'an answer that waits for its reader for five minutes is cut off, and its turn ends',
    ),
  },
  {
    name: 'ends-wait-for-texts',
    file: 'api/farmer/rounds.ts',
    find: '  every(MINUTE_MS, (now) => endGrants(deps, now));\n  every(MINUTE_MS, rounds.everyMinute);\n',
    replace:
      '  every(MINUTE_MS, async (now) => {\n    await rounds.everyMinute();\n    await endGrants(deps, now);\n  });\n',
    consequence:
      'while the provider of texts is down, no end of a grant comes into the ledger or to the customer',
    test: testIn('farmer/told')('a provider of texts that hangs keeps no grant from its end'),
  },
  {
    name: 'rounds-by-the-old-hash-key',
    file: 'api/farmer/rounds.ts',
    find: '        await refreshHashKeys(deps.store); // a phone is found by its hash, and the keys may have been exchanged\n',
    replace: '',
    consequence: 'after an exchange of the hash key a farmer’s yearly text is dropped, and counts as sent',
    test: testIn('farmer/told')('a process that knows only the hash key of before tells all the same'),
  },
  {
    name: 'our-outage-on-their-badge',
    file: 'api/pages/channel/as-customers-may-see.ts',
    find: '    health: healthOf(channel, alerts, deliveredAt, now),\n',
    replace: '',
    consequence:
      'a customer whose endpoint is well reads that their channel fails, and looks for a cause that is ours',
    test: testIn('customer-page/actions')('says nothing fails where it is ours that does'),
  },
];
