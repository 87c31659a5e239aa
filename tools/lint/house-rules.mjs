import path from 'node:path';
import { FLOORS, PACKAGES, roomOf, ROOMS } from './import-table.mjs';
import { circlesOf, namesakesOf, readHouse, resolveImport, ROOT } from './read-house.mjs';

const fits = (patterns, name) =>
  patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name,
  );

/** @returns why `file` may not import `specifier`, or undefined */
export function refusal(file, specifier, isType) {
  const room = roomOf(file);
  if (!room) return undefined;
  const target = resolveImport(file, specifier);
  return target === undefined
    ? packageRefusal(file, room, specifier, isType)
    : (roomRefusal(file, room, target, isType) ?? floorRefusal(file, room, target));
}

/** Why a file may not import one of its own room: that lies on the same floor, in another folder, or above. */
function floorRefusal(file, room, target) {
  const floors = FLOORS[room];
  if (!floors || roomOf(target) !== room) return undefined;
  const inRoom = (name) => name.split('/')[1].replace(/\.tsx?$/, '');
  const [own, other] = [inRoom(file), inRoom(target)];
  const floorOf = (name) => floors.findIndex((names) => names.includes(name));
  if (floorOf(own) < 0) return `${room}/${own} has no floor: give it one in tools/lint/import-table.mjs`;
  return own === other || floorOf(own) < floorOf(other)
    ? undefined
    : `${room}/${own} lies no higher than ${room}/${other}: the floors are in tools/lint/import-table.mjs`;
}

function roomRefusal(file, room, target, isType) {
  const { rooms, files = [], types = [], except = {}, say } = ROOMS[room];
  const to = roomOf(target) ?? target.split('/')[0];
  const name = target.replace(/(\/index)?\.tsx?$/, '');
  const more = except[file.replace(/\.tsx?$/, '')] ?? [];
  const allowed = [room, ...rooms, ...files, ...more, ...(isType ? types : [])];
  return allowed.includes(to) || allowed.includes(name) ? undefined : say;
}

function packageRefusal(file, room, name, isType) {
  const { packages, say } = ROOMS[room];
  if (packages && !fits(packages, name)) return say;
  const owner = PACKAGES.find(({ of }) => fits(of, name));
  if (!owner || owner.rooms.includes(room)) return undefined;
  return isType && owner.types?.includes(room) ? undefined : owner.say;
}

const isTypeImport = ({ importKind, exportKind, specifiers = [] }) =>
  importKind === 'type' ||
  exportKind === 'type' ||
  (specifiers.length > 0 && specifiers.every((one) => one.importKind === 'type'));

const importTable = {
  create(context) {
    const file = path.relative(ROOT, context.filename);
    const check = (source, isType) => {
      if (typeof source?.value !== 'string') return;
      const message = refusal(file, source.value, isType);
      if (message) context.report({ node: source, message });
    };
    return {
      ImportDeclaration: (node) => check(node.source, isTypeImport(node)),
      ExportNamedDeclaration: (node) => check(node.source, isTypeImport(node)),
      ExportAllDeclaration: (node) => check(node.source, isTypeImport(node)),
      ImportExpression: (node) => check(node.source, false),
      TSImportType: (node) => check(node.source ?? node.argument?.literal, true),
      TSExternalModuleReference: (node) => check(node.expression, false),
      'CallExpression[callee.name="require"]': (node) => check(node.arguments[0], false),
    };
  },
};

// The house is read once a run, by the first file that is looked at.
let house;
const wholeHouse = (messageOf) => ({
  create: (context) => ({
    Program(node) {
      house ??= readHouse();
      const message = messageOf(path.relative(ROOT, context.filename));
      if (message) context.report({ node, message });
    },
  }),
});

let circles;
const noCircles = wholeHouse((file) => {
  circles ??= circlesOf(house);
  const circle = circles.find((group) => group.includes(file));
  return circle && `imports in a circle, types included: ${circle.join(', ')}`;
});

let namesakes;
const oneName = wholeHouse((file) => {
  namesakes ??= namesakesOf(house);
  const twice = [...namesakes].filter(([, files]) => files.includes(file));
  return twice
    .map(([name, files]) => `${name} is exported by ${files.join(' and ')}: one name for one thing`)
    .join('; ');
});

/**
 * undici ends the whole process, by an assertion that nothing catches, where an answer of 64 to 70 kB ends with its connection
 * before somebody reads it (7.30.2, test/outbound/odd-customer). So nothing else is awaited before the body is.
 */
const bodyAtOnce = {
  create: (context) => ({
    'VariableDeclarator > AwaitExpression > CallExpression[callee.name="sendRequest"]'(call) {
      const { id } = call.parent.parent;
      const own = id.properties?.find(({ key }) => key?.name === 'body')?.value.name ?? id.name;
      const next = context.sourceCode.getTokenAfter(call.parent, {
        filter: ({ value }) => value === 'await',
      });
      const node = next && context.sourceCode.getNodeByRangeIndex(next.range[0]);
      const waited = node && context.sourceCode.getText(node.type === 'ForOfStatement' ? node.right : node);
      if (own && new RegExp(`\\b${own}\\b`).test(waited ?? '')) return;
      context.report({
        node: call,
        message: 'await the body of an answer before anything else: undici may end the process',
      });
    },
  }),
};

const COMPARES = ['-', '<', '>', '<=', '>='];
const isOwnClock = (node) =>
  node.type === 'CallExpression' &&
  node.callee.object?.name === 'Date' &&
  node.callee.property?.name === 'now';
const isClock = (node) =>
  isOwnClock(node) || (node.type === 'CallExpression' && node.callee.name === 'msNow');

/** Whether this is the time of the clock, or a variable that has it. */
function hasClock(node, scope) {
  if (isClock(node)) return true;
  if (node.type !== 'Identifier') return false;
  const [definition] = scope.references.find(({ identifier }) => identifier === node)?.resolved?.defs ?? [];
  if (definition?.type !== 'Variable' || !definition.node.init) return false;
  const { id, init } = definition.node;
  const index = id.elements?.findIndex((element) => element?.name === node.name);
  const given = index === undefined ? init : init.elements?.[index];
  return given !== undefined && isClock(given);
}

/** A clock that is set back or ahead makes hours of seconds, wherever its time is compared with one of before. */
const steppingClock = {
  create: (context) => ({
    BinaryExpression(node) {
      const { operator, left, right, parent } = node;
      const scope = context.sourceCode.getScope(node);
      const isInstant = parent.type === 'NewExpression' && parent.callee.name === 'Date'; // for a query
      if (isInstant || !COMPARES.includes(operator)) return;
      if (![left, right].some((side) => hasClock(side, scope))) return;
      const message =
        'a clock steps: time what is kept in memory by performance.now(), compare a stored time by domain/time/elapsed';
      context.report({ node, message });
    },
    'MemberExpression[object.name="Date"][property.name="now"]'(node) {
      if (node.parent.type === 'CallExpression' && node.parent.callee === node) return;
      context.report({ node, message: 'a clock steps: hand over () => performance.now()' });
    },
  }),
};

/** What one process stores by a clock of its own, another one misjudges by hours. */
const oneClock = {
  create: (context) => {
    const refuse = (node) => context.report({ node, message: 'take the time of domain/time/elapsed' });
    return {
      CallExpression: (node) => isOwnClock(node) && refuse(node),
      'NewExpression[callee.name="Date"][arguments.length=0]': refuse,
    };
  },
};

export default {
  rules: {
    'import-table': importTable,
    'no-circles': noCircles,
    'one-name': oneName,
    'body-at-once': bodyAtOnce,
    'stepping-clock': steppingClock,
    'one-clock': oneClock,
  },
};
