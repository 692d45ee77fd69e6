#!/usr/bin/env node
// Verifies what a Spades service hands out: exports, signed results, checkpoints and proofs.
//
//     node docs/verifier/verify.mjs FILE... [--jwks FILE] [--json]
//
// It needs Node 20 or later and nothing else: no package, no network, no database. It is written
// from docs/exports.md, docs/log-format.md, docs/dealing.md and docs/rules.md alone, so it shares
// no line with the service. It exits with 0 when nothing is wrong, with 1 when anything is, with a
// line for each finding, and with 2 when it was called wrongly or could not read a file.
//
// In order: a strict JSON reader; hashes; the shape of each file; the deal; the game as the log
// tells it; the checks of an export, one after another; signatures; proofs; what holds between
// files; the command line.

import { createHash, createHmac, createPublicKey, verify as verifySignature } from "node:crypto";
import { readFileSync } from "node:fs";
import process from "node:process";

// ---------------------------------------------------------------- JSON, stricter than JSON.parse

const DEEPEST = 16;
const TOKEN = /[ \t\n\r]*([{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*|true|false|null)/y;
const INTEGER = /^(0|-?[1-9][0-9]*)$/;

/** Reads JSON in which no key comes twice, all numbers are safe integers, and text is Unicode. */
function readJson(text) {
  let at = 0;
  const fail = (what = "not JSON") => {
    throw new SyntaxError(`${what} at character ${at + 1}`);
  };
  const next = () => {
    TOKEN.lastIndex = at;
    const [all, token] = TOKEN.exec(text) ?? fail();
    at += all.length;
    return token;
  };
  const plain = (token) => {
    if (/^[-0-9]/.test(token)) {
      if (!INTEGER.test(token)) fail("a number that is no plain integer");
      if (!Number.isSafeInteger(Number(token))) fail("a number of 2^53 or more");
    }
    let found;
    try {
      found = JSON.parse(token);
    } catch {
      fail();
    }
    if (typeof found !== "string") return found;
    if (!found.isWellFormed() || found.includes("\0")) fail("a lone surrogate or U+0000");
    return found;
  };
  const members = (close, take) => {
    let token = next();
    while (token !== close) {
      take(token);
      token = next();
      if (token !== close && (token !== "," || (token = next()) === close)) fail();
    }
  };
  const value = (token, depth) => {
    if (depth > DEEPEST) fail("nested too deep");
    if (token === "[") {
      const list = [];
      members("]", (first) => list.push(value(first, depth + 1)));
      return list;
    }
    if (token !== "{") return plain(token);
    const object = Object.create(null); // so that "__proto__" is a key as any other
    members("}", (first) => {
      const key = plain(first);
      if (typeof key !== "string" || next() !== ":") fail();
      if (key in object) fail("a key twice");
      object[key] = value(next(), depth + 1);
    });
    return object;
  };
  const whole = value(next(), 0);
  return /^[ \t\n\r]*$/.test(text.slice(at)) ? whole : fail();
}

/** Writes RFC 8785 canonical JSON of a value that `readJson` read. */
function jcs(value) {
  if (Array.isArray(value)) return `[${value.map(jcs).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort(); // by UTF-16 code units
  return `{${keys.map((key) => `${JSON.stringify(key)}:${jcs(value[key])}`).join(",")}}`;
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const same = (one, other) => one !== undefined && other !== undefined && jcs(one) === jcs(other);

// ---------------------------------------------------------------------------------------- hashes

const bytes = (part) => (typeof part === "string" ? Buffer.from(part, "utf8") : part);
const unhex = (text) => Buffer.from(text, "hex");
const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts.map(bytes))).digest();
const hmac = (key, ...parts) =>
  createHmac("sha256", key).update(Buffer.concat(parts.map(bytes))).digest();
const u32 = (number) => {
  const four = Buffer.alloc(4);
  four.writeUInt32BE(number >>> 0);
  return four;
};

const commitment = (salt, value) =>
  sha256("spades/log/v1/leaf\0", unhex(salt), jcs(value)).toString("hex");
const saltOf = (handSeed, version, pointer) =>
  hmac(handSeed, "spades/log/v1/salt\0", u32(version), pointer).toString("hex");

// ---------------------------------------------------------------------------------------- shapes
//
// A shape is a test with a name, a list of one shape, or an object that has exactly its keys.

const named = (is, test) => Object.assign(test, { is });
const int = (low, high = Number.MAX_SAFE_INTEGER) =>
  named(`an integer from ${low} to ${high}`, (v) => Number.isInteger(v) && v >= low && v <= high);
const oneOf = (...words) => named(`one of ${words.join(", ")}`, (v) => words.includes(v));
const orNull = (shape) => named(`${shape.is}, or null`, (v) => v === null || shape(v));
const text = named("text", (v) => typeof v === "string" && v !== "");
const flag = named("true or false", (v) => typeof v === "boolean");
const hex = named("64 lower-case hex digits", (v) => typeof v === "string" && HEX.test(v));
const uuid = named("an id", (v) => typeof v === "string" && UUID.test(v));
const time = named("a time in UTC with milliseconds", (v) => {
  if (typeof v !== "string" || !TIME.test(v)) return false;
  const read = new Date(v);
  return !Number.isNaN(read.getTime()) && read.toISOString() === v;
});
const HEX = /^[0-9a-f]{64}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const RANKS = "23456789TJQKA";
const DECK = [..."CDHS"].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
const ORDER = new Map(DECK.map((card, place) => [card, place]));
const card = named("a card", (v) => ORDER.has(v));
const cards = named("a list of cards", (v) => Array.isArray(v) && v.every(card));

const LEAF = ["commit", "salt", "value"];
const isLeaf = (v) =>
  isObject(v) && "commit" in v && Object.keys(v).every((key) => LEAF.includes(key));
const leaf = named("a leaf, {commit} or {commit, salt, value}", (v) => {
  if (!isLeaf(v) || !hex(v.commit)) return false;
  return Object.keys(v).length === 1 || ("value" in v && hex(v.salt));
});
const clientSeed = named("a client seed", (v) => {
  const size = typeof v === "string" ? Buffer.byteLength(v, "utf8") : 0;
  return size >= 1 && size <= 64 && !/\p{Cc}/u.test(v);
});

const FOUR = ["N", "E", "S", "W"];
const SEATS = { "two-player": ["N", "S"], partnership: FOUR, pairs: FOUR };
const SIDES = { 2: { N: ["N"], S: ["S"] }, 4: { NS: ["N", "S"], EW: ["E", "W"] } };
const seatsOf = (ruleset) =>
  Object.entries(SEATS).find(([name]) => name === ruleset)?.[1] ?? SEATS.partnership;
const REASONS = ["target_reached", "floor_reached", "max_hands"];
const OPTIONS = {
  target: int(1, 10000),
  lose_at: orNull(int(-10000, -1)),
  bag_limit: orNull(int(1, 100)),
  bag_penalty: int(0, 1000),
  nil: orNull(int(0, 1000)),
  double_nil: orNull(int(0, 1000)),
  double_nil_deficit: int(0, 1000),
  exchange_cards: int(0, 13),
  failed_nil_tricks: oneOf("ignore", "bags", "bid"),
  lead_spades: oneOf("broken", "anytime"),
  min_side_bid: orNull(int(1, 13)),
  ten_for_200: flag,
  max_hands: int(1, 1000),
  undo: oneOf("off", "bots_only", "consent"),
};
const each = (keys, shape) => Object.fromEntries(keys.map((key) => [key, shape]));

/** The rows of the event table for a game's seats: who, by whom, and the keys of the data. */
function rows(seats) {
  const sides = Object.keys(SIDES[seats.length]);
  const two = seats.length === 2;
  const seat = oneOf(...seats);
  const taken = int(0, 13);
  const action = (data) => ({ seat, actors: ["seat", "bot"], data });
  const byGame = (data) => ({ seat: null, actors: ["game"], data });
  const parts = {
    ...each(["bid", "tricks", "tricks_for_bid", "new_bags", "bags"], int(0)),
    ...each(["contract_points", "bag_points", "nil_points", "bag_penalty"], int(-1e9)),
    ...each(["hand_points", "points"], int(-1e9)),
    made: flag,
  };
  const totals = { points: each(sides, int(-1e9)), bags: each(sides, int(0)), hands: int(0) };
  const ended = { reason: text, ...totals, game_seed: hex };
  const fixed = { kind: oneOf("human", "bot", "open"), level: orNull(text) };
  return {
    game_created: {
      seat: null,
      actors: ["platform"],
      data: {
        ruleset: oneOf(...Object.keys(SEATS)), options: OPTIONS, seats: each(seats, fixed),
        dealer: seat, dealer_fixed: flag, spectators: oneOf("public", "none"),
        algorithm: oneOf("spades/deal/v1"), game_commit: hex,
      },
    },
    seat_taken: {
      seat, actors: ["seat"], data: { kind: oneOf("human"), client_seed: orNull(clientSeed) },
    },
    token_reissued: { seat, actors: ["platform"], data: { generation: int(2) } },
    hand_started: byGame({
      number: int(1), dealer: seat, hand_commit: hex,
      ...(two ? { stock: leaf } : { holdings: each(seats, leaf) }),
    }),
    cards_looked_at: action({}),
    double_nil_bid: action({}),
    card_kept: action({ turn: int(1, 26), kept: leaf, discarded: leaf }),
    card_refused: action({ turn: int(1, 26), refused: leaf, kept: leaf }),
    bid_made: action({ tricks: taken }),
    cards_exchanged: action(two ? { count: taken, thrown: leaf, drawn: leaf } : { given: leaf }),
    card_played: action({ card }),
    trick_taken: { ...byGame({ number: int(1, 13), leader: seat, cards: [card] }), seat },
    hand_scored: byGame({
      number: int(1), bids: each(seats, taken), double_nil: [seat], tricks: each(seats, taken),
      sides: each(sides, parts), hand_seed: hex,
    }),
    game_finished: {
      seat: null,
      actors: ["game", "clock", "platform"],
      data: { winner: orNull(oneOf(...sides)), ...ended },
    },
    game_aborted: {
      seat: null, actors: ["platform", "clock"], data: { winner: oneOf(null), ...ended },
    },
  };
}

/** Calls `wrong(pointer, detail)` wherever a value departs from its shape. */
function conform(value, shape, pointer, wrong) {
  if (typeof shape === "function") {
    if (!shape(value)) wrong(pointer, `is not ${shape.is}`);
  } else if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return wrong(pointer, "is not a list");
    value.forEach((item, place) => conform(item, shape[0], `${pointer}/${place}`, wrong));
  } else if (!isObject(value)) {
    wrong(pointer, "is not an object");
  } else {
    const keys = Object.keys(shape);
    if (Object.keys(value).some((key) => !keys.includes(key))) wrong(pointer, "has a key too many");
    for (const key of keys) {
      if (key in value) conform(value[key], shape[key], `${pointer}/${key}`, wrong);
      else wrong(pointer, `has no ${key}`);
    }
  }
}

// -------------------------------------------------------------------------------------- the deal

const mac = (key, label, ...rest) => hmac(key, `spades/deal/v1/${label}\0`, ...rest);
const handSeedOf = (gameSeed, number) => mac(gameSeed, "hand", u32(number));

/** Answers a function that draws a number below n, each time from the next of the words. */
function drawing(key, label, prefix = "") {
  let block = 0;
  let words = [];
  const word = () => {
    if (words.length === 0) {
      const digest = mac(key, label, prefix, u32(block));
      words = [0, 4, 8, 12, 16, 20, 24, 28].map((place) => digest.readUInt32BE(place));
      block += 1;
    }
    return words.shift();
  };
  return (n) => {
    for (;;) {
      const drawn = word();
      if (drawn < 2 ** 32 - (2 ** 32 % n)) return drawn % n;
    }
  };
}

function shuffled(below) {
  const deck = [...DECK];
  for (let i = 51; i > 0; i -= 1) {
    const j = below(i + 1);
    [deck[i], deck[j]] = [deck[j], deck[i]];
  }
  return deck;
}

const mixOf = (seats, claims) =>
  sha256(seats.map((seat) => `${seat}=${claims.get(seat)?.client_seed ?? ""}\n`).join(""));
const inDeckOrder = (list) => [...list].sort((a, b) => ORDER.get(a) - ORDER.get(b));

// --------------------------------------------------------------------------- the game in the log

const ENDS = ["game_finished", "game_aborted"];

/** Sorts a log of the right shapes into seating, hands and end. */
function gameIn(gameId, events) {
  const { ruleset, options, dealer, seats: chairs } = events[0].data;
  const seats = SEATS[ruleset];
  const game = {
    gameId, events, options, seats, chairs, dealer, created: events[0],
    sides: SIDES[seats.length], claims: new Map(), early: [], hands: [], reissued: [],
    end: events.find((event) => ENDS.includes(event.type)),
  };
  for (const event of events.slice(1)) {
    const hand = game.hands.at(-1);
    if (event.type === "token_reissued") game.reissued.push(event);
    else if (event.type === "hand_started") game.hands.push({ start: event, events: [], late: [] });
    else if (!hand) game.early.push(event);
    else if (hand.scored) hand.late.push(event);
    else if (event.type === "hand_scored") hand.scored = event;
    else hand.events.push(event);
  }
  for (const { type, seat, data } of game.early) {
    if (type === "seat_taken") game.claims.set(seat, data);
  }
  game.seed = game.end ? unhex(game.end.data.game_seed) : null;
  for (const hand of game.hands) {
    hand.number = hand.start.data.number;
    if (hand.scored) hand.seed = unhex(hand.scored.data.hand_seed);
    else hand.seed = game.seed && handSeedOf(game.seed, hand.number);
  }
  return game;
}

const orderOf = ({ seats }, { start: { data } }) =>
  seats.map((_, n) => seats[(seats.indexOf(data.dealer) + n + 1) % seats.length]);
const seatAfter = (game, seat, steps = 1) =>
  game.seats[(game.seats.indexOf(seat) + steps) % game.seats.length];
const sideOf = ({ sides }, seat) => Object.keys(sides).find((side) => sides[side].includes(seat));
const partnerOf = (game, seat) => game.sides[sideOf(game, seat)].find((other) => other !== seat);
const revealed = (game) => game.hands.filter((hand) => hand.seed);
const readable = (game) => revealed(game).filter((hand) =>
  [hand.start, ...hand.events].every((event) => leavesOf(event).every(isRead)),
);
const scoredHands = (game) => game.hands.filter((hand) => hand.scored);

/** The totals before a hand, or at the end: those that the last hand before it records. */
function standingBefore(game, hand = null) {
  const place = hand ? game.hands.indexOf(hand) : game.hands.length;
  const before = game.hands.slice(0, place).findLast((other) => other.scored);
  return before?.scored.data.sides ?? each(Object.keys(game.sides), { points: 0, bags: 0 });
}

// -------------------------------------------------------------------- the checks: format to deals

const PUBLIC = ["version", "type", "schema", "at", "seat", "actor", "data"];
const HEADER = {
  format: oneOf("spades-export/1"), game_id: uuid,
  viewer: oneOf("N", "E", "S", "W", "spectator", "platform", "auditor"),
  version: int(1), log_head: hex,
};
const OPENING = { version: int(1), pointer: text, salt: hex, value: () => true };

/** Judges header and events by themselves; answers whether the checks of the game can be made. */
function checkFormat({ header, events }, report) {
  let sound = true;
  const wrong = (version) => (pointer, detail) => {
    sound = false;
    report("format", version, pointer, detail);
  };
  conform(header, HEADER, "", (pointer, detail) => wrong(null)(pointer, `the header ${detail}`));
  if (events.length === 0) wrong(null)("", "no event follows the header");
  const seats = seatsOf(events[0]?.data?.ruleset);
  const table = rows(seats);
  events.forEach((event, place) => {
    const version = Number.isInteger(event.version) ? event.version : null;
    checkEvent(event, place, table, wrong(version));
    const before = events[place - 1]?.at;
    const late = (pointer, detail) => report("format", version, pointer, detail);
    if (event.version !== place + 1) late("/version", `should be ${place + 1}`);
    if (time(event.at) && time(before) && before > event.at) {
      late("/at", "is earlier than the event before");
    }
  });
  const last = events.at(-1);
  if (last && (header.version !== last.version || header.log_head !== last.hash)) {
    report("format", null, "", "the header does not name the last event");
  }
  if (SEATS.partnership.includes(header.viewer) && !seats.includes(header.viewer)) {
    report("format", null, "/viewer", "has no seat in this game");
  }
  return sound;
}

function checkEvent(event, place, table, wrong) {
  const row = Object.entries(table).find(([type]) => type === event.type)?.[1];
  if (!row) return wrong("/type", "is not a type of event");
  if ((event.type === "game_created") !== (place === 0)) {
    wrong("/type", "game_created comes first, once");
  }
  const bot = event.actor === "bot" ? { policy: text } : {};
  const shape = {
    version: int(1), type: text, schema: int(1, 1), at: time, seat: row.seat ?? oneOf(null),
    actor: oneOf(...row.actors), data: { ...row.data, ...bot }, hash: hex,
    ...("opens" in event ? { opens: [OPENING] } : {}),
  };
  conform(event, shape, "", wrong);
  if (Array.isArray(event.opens) && event.opens.length === 0) wrong("/opens", "is there and empty");
}

/** Cuts every leaf down to its commitment, as the public form has it. */
function publicly(value) {
  if (Array.isArray(value)) return value.map(publicly);
  if (!isObject(value)) return value;
  if (isLeaf(value)) return { commit: value.commit };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, publicly(member)]));
}

function checkChain({ header, events }, report) {
  let before = sha256("spades/log/v1/genesis\0", uuid(header.game_id) ? header.game_id : "");
  for (const event of events) {
    const kept = PUBLIC.filter((key) => key in event);
    const form = Object.fromEntries(kept.map((key) => [key, publicly(event[key])]));
    const hash = sha256("spades/log/v1/event\0", before, sha256(jcs(form)));
    if (hash.toString("hex") !== event.hash) {
      report("chain", event.version, "/hash", "does not follow from the event and the hash before");
    }
    before = hex(event.hash) ? unhex(event.hash) : hash;
  }
}

/** All leaves of an event: `[pointer, leaf]`. */
function leavesOf({ data }) {
  const found = [];
  for (const [key, value] of Object.entries(isObject(data) ? data : {})) {
    if (isLeaf(value)) found.push([`/data/${key}`, value]);
    else if (isObject(value)) {
      for (const [inner, deep] of Object.entries(value)) {
        if (isLeaf(deep)) found.push([`/data/${key}/${inner}`, deep]);
      }
    }
  }
  return found;
}

const isOpen = (found) => isObject(found) && "value" in found && hex(found.salt);
const valueOf = (pointer) => (/^\/data\/(kept|discarded|refused)$/.test(pointer) ? card : cards);
const isRead = ([pointer, found]) => isOpen(found) && valueOf(pointer)(found.value);

/** Who may see a leaf before its hand is revealed: its seat, and a partner who gave as well. */
function maySee(viewer, game, event, pointer) {
  const key = pointer.split("/").at(-1);
  if (event.type === "hand_started") return key === viewer;
  if (key === "discarded") return false;
  const gave = game.hands.at(-1)?.events.some((one) => one.seat === viewer && one.data.given);
  if (event.seat === viewer) return true;
  return key === "given" && gave && partnerOf(game, event.seat) === viewer;
}

/** Judges every opening; without a game, only whether it fits its commitment. */
function checkLeaves({ header, events }, game, report) {
  const places = new Map();
  const seeds = seedsByVersion(game);
  const judge = (opening, commit, version, pointer, wrong) => {
    const [seed, shape] = [seeds.get(version), valueOf(pointer)];
    if (commitment(opening.salt, opening.value) !== commit) wrong("does not fit its commitment");
    if (seed && saltOf(seed, version, pointer) !== opening.salt) {
      wrong("has a salt that does not follow from the hand's seed");
    }
    if (!shape(opening.value)) wrong(`does not open to ${shape.is}`);
  };
  for (const event of events) {
    const { version } = event;
    const wrongAt = (pointer) => (detail) => report("leaves", version, pointer, detail);
    const opens = Array.isArray(event.opens) ? event.opens : [];
    opens.forEach((opening, place) => {
      const known = places.get(opening?.version)?.get(opening?.pointer);
      const told = { commit: known?.commit, salt: opening?.salt, value: opening?.value };
      const wrong = wrongAt(`/opens/${place}`);
      if (!known) wrong("names no leaf of an earlier event");
      else if (!isOpen(opening) || !same(known, told)) wrong("is not the leaf as it is open there");
      else judge(opening, known.commit, opening.version, opening.pointer, wrong);
    });
    places.set(version, new Map());
    for (const [pointer, found] of leavesOf(event)) {
      const wrong = wrongAt(pointer);
      places.get(version).set(pointer, found);
      if (isOpen(found)) judge(found, found.commit, version, pointer, wrong);
      if (!game) continue;
      const seen = seeds.has(version) || maySee(header.viewer, game, event, pointer);
      if (isOpen(found) && !seen) wrong("is open to a viewer who may not see it yet");
      if (!isOpen(found) && seeds.has(version)) wrong("is closed, though the hand is revealed");
    }
  }
}

const ANSWERS = ["cards_looked_at", "double_nil_bid"];

/** What each event of a hand that is over opens to a viewer: earlier leaves, by version. */
function openedIn(game, hand, viewer) {
  const [opened, seen, leaves, gave] = [new Map(), new Set(), [], []];
  const isAnswer = (event) => ANSWERS.includes(event.type) && event.seat === viewer;
  const asked = hand.events.some(isAnswer);
  const partner = game.seats.includes(viewer) ? partnerOf(game, viewer) : null;
  const given = (seat) => gave.filter((one) => one.seat === seat);
  const due = (event) => {
    if (event === hand.scored) return leaves;
    const dealt = hand.start.data.holdings ? [`${hand.start.version} /data/holdings/${viewer}`] : [];
    if (isAnswer(event)) return dealt;
    if (!event.data.given || event.seat !== viewer) return [];
    return given(partner).map((one) => `${one.version} /data/given`);
  };
  const atOnce = (event, pointer) => {
    if (event === hand.start) return !asked && pointer === `/data/holdings/${viewer}`;
    if (event.seat === viewer) return !pointer.endsWith("/discarded");
    return pointer.endsWith("/given") && event.seat === partner && given(viewer).length > 0;
  };
  for (const event of [hand.start, ...hand.events, hand.scored]) {
    opened.set(event.version, due(event).filter((one) => !seen.has(one)));
    for (const one of opened.get(event.version)) seen.add(one);
    for (const [pointer] of leavesOf(event)) {
      leaves.push(`${event.version} ${pointer}`);
      if (atOnce(event, pointer)) seen.add(leaves.at(-1));
    }
    if (event.data.given) gave.push(event);
  }
  return opened;
}

/** In a game that is over, every event opens just what it must. */
function checkOpens({ header, events }, game, report) {
  if (!game.seed || game.hands.some((hand) => !hand.scored)) return;
  const due = new Map(game.hands.flatMap((hand) => [...openedIn(game, hand, header.viewer)]));
  for (const { version, opens } of events) {
    const told = (opens ?? []).map((one) => `${one.version} ${one.pointer}`);
    if (!same(told.sort(), [...(due.get(version) ?? [])].sort())) {
      report("leaves", version, "/opens", "does not open just what it must");
    }
  }
}

function seedsByVersion(game) {
  const seeds = new Map();
  for (const hand of game ? revealed(game) : []) {
    for (const event of [hand.start, ...hand.events]) seeds.set(event.version, hand.seed);
  }
  return seeds;
}

function checkDeals(game, report) {
  const { created, seed, gameId } = game;
  const wrong = (event, pointer, detail) => report("deals", event.version, pointer, detail);
  if (seed) {
    const commit = sha256(`spades/deal/v1/game\0${gameId}\0`, seed).toString("hex");
    if (commit !== created.data.game_commit) {
      wrong(game.end, "/data/game_seed", "the game's seed is not the one committed to");
    }
    const drawn = game.seats[drawing(seed, "first")(game.seats.length)];
    if (!created.data.dealer_fixed && drawn !== game.dealer) {
      wrong(created, "/data/dealer", "the first dealer is not the one drawn");
    }
  }
  game.hands.forEach((hand, index) => {
    const dealer = seatAfter(game, game.dealer, index);
    if (hand.number !== index + 1) wrong(hand.start, "/data/number", `should be ${index + 1}`);
    if (hand.start.data.dealer !== dealer) {
      wrong(hand.start, "/data/dealer", "is not the next dealer");
    }
    if (hand.seed) checkHandDeal(game, hand, wrong);
  });
}

function checkHandDeal(game, hand, wrong) {
  const { seed, number, start } = hand;
  const told = sha256(`spades/deal/v1/commit\0${game.gameId}\0`, u32(number), seed).toString("hex");
  if (told !== start.data.hand_commit) {
    wrong(hand.scored ?? start, "/data/hand_seed", "the hand's seed is not the one committed to");
  }
  if (game.seed && !handSeedOf(game.seed, number).equals(seed)) {
    wrong(hand.scored, "/data/hand_seed", "does not follow from the game's seed");
  }
  const below = drawing(seed, "stream", mixOf(game.seats, game.claims));
  const deck = shuffled(below);
  const expect = (event, pointer, found, due) => {
    if (isOpen(found) && !same(found.value, due)) wrong(event, pointer, "not what was dealt");
  };
  if (game.seats.length === 2) {
    expect(start, "/data/stock", start.data.stock, deck);
    checkDraft(hand, deck, below, expect);
  } else {
    orderOf(game, hand).forEach((seat, from) => {
      const due = deck.filter((_, place) => place % 4 === from);
      expect(start, `/data/holdings/${seat}`, start.data.holdings[seat], due);
    });
  }
}

/** Two players: the draft takes the stock from the top, replacements come from the discards. */
function checkDraft(hand, stock, below, expect) {
  const pool = [];
  let top = 0;
  for (const event of hand.events) {
    const { data, type } = event;
    if (type === "card_kept" || type === "card_refused") {
      const pair = [stock[top] ?? null, stock[top + 1] ?? null];
      const [first, second] = type === "card_kept" ? ["kept", "discarded"] : ["refused", "kept"];
      expect(event, `/data/${first}`, data[first], pair[0]);
      expect(event, `/data/${second}`, data[second], pair[1]);
      pool.push(type === "card_kept" ? pair[1] : pair[0]);
      top += 2;
    } else if (type === "cards_exchanged") {
      const drawn = [];
      while (drawn.length < data.count && pool.length > 0) {
        drawn.push(...pool.splice(below(pool.length), 1));
      }
      expect(event, "/data/drawn", data.drawn, drawn);
      pool.push(...inDeckOrder(cards(data.thrown.value) ? data.thrown.value : []));
    }
  }
}

// ---------------------------------------------------------------------------- the checks: actions

/** A fault that ends the replay of a hand: what follows would only repeat it. */
const fault = (pointer, detail) => ({ pointer, detail });

function checkActions(game, report) {
  const wrong = (event, found) => report("actions", event.version, found.pointer, found.detail);
  if (game.seats.every((seat) => game.chairs[seat].kind === "bot")) {
    wrong(game.created, fault("/data/seats", "no seat is for a person"));
  }
  for (const seat of game.seats) {
    const { kind, level } = game.chairs[seat];
    if ((kind === "bot") !== (level !== null)) {
      wrong(game.created, fault(`/data/seats/${seat}/level`, "bots and nobody else have a level"));
    }
  }
  const hands = readable(game);
  checkSeating(game, wrong);
  checkReissues(game, wrong);
  game.hands.forEach((hand, index) => {
    if (hands.includes(hand)) replay(game, hand, wrong);
    const misplaced = hand.late.find((event) => !ENDS.includes(event.type));
    if (misplaced) wrong(misplaced, fault("/type", "cannot come between two hands"));
    if (!hand.scored && game.hands[index + 1]) {
      wrong(game.hands[index + 1].start, fault("/type", "the hand before was not scored"));
    }
  });
}

function checkSeating(game, wrong) {
  const open = new Set(game.seats.filter((seat) => game.chairs[seat].kind === "open"));
  for (const event of game.early) {
    if (ENDS.includes(event.type)) return;
    if (event.type !== "seat_taken") wrong(event, fault("/type", "cannot come before a hand"));
    else if (!open.delete(event.seat)) wrong(event, fault("/seat", "was not open"));
  }
  if (game.hands.length > 0 && open.size > 0) {
    wrong(game.hands[0].start, fault("/type", "a seat is still open"));
  }
}

function checkReissues(game, wrong) {
  const generations = new Map();
  for (const event of game.reissued) {
    const due = (generations.get(event.seat) ?? 1) + 1;
    if (event.data.generation !== due) wrong(event, fault("/data/generation", `should be ${due}`));
    generations.set(event.seat, event.data.generation);
  }
}

/** Plays a hand again, event by event, up to the first that the rules forbid. */
function replay(game, hand, wrong) {
  const table = dealt(game, hand);
  for (const event of hand.events) {
    if (ENDS.includes(event.type)) return;
    const phase = phaseOf(table);
    const found = phase.types.includes(event.type)
      ? who(table, phase, event) ?? phase.act(table, event)
      : fault("/type", `cannot come in the phase of ${phase.name}`);
    if (found) return wrong(event, found);
  }
  if (hand.scored && phaseOf(table) !== PHASES.over) {
    wrong(hand.scored, fault("/type", "the hand was not played to its end"));
  }
}

function dealt(game, hand) {
  const { holdings } = hand.start.data;
  const order = orderOf(game, hand);
  const hold = (seat) => (holdings ? holdings[seat].value : []);
  return {
    game, order, options: game.options, blind: entitled(game, hand), doubles: new Set(),
    holdings: new Map(game.seats.map((seat) => [seat, new Set(hold(seat))])),
    turns: 0, bids: new Map(), exchanged: new Map(), leader: order[0], trick: [], tricks: 0,
    broken: false,
  };
}

/** The seats that are asked for Double Nil: all, or those whose side is far enough behind. */
function entitled(game, hand) {
  const { double_nil: bonus, double_nil_deficit: deficit } = game.options;
  if (bonus === null) return new Set();
  const standing = standingBefore(game, hand);
  const best = Math.max(...Object.values(standing).map((side) => side.points));
  const behind = (seat) => best - standing[sideOf(game, seat)].points;
  return new Set(game.seats.filter((seat) => behind(seat) >= deficit));
}

const PHASES = {
  blind: {
    name: "blind", types: ["cards_looked_at", "double_nil_bid"],
    due: (t) => [...t.blind], act: answer,
  },
  draft: {
    name: "draft", types: ["card_kept", "card_refused"],
    due: (t) => [t.order.at(t.turns % 2 === 0 ? -1 : 0)], act: draft,
  },
  bidding: { name: "bidding", types: ["bid_made"], due: (t) => [bidders(t)[0]], act: bid },
  exchange: {
    name: "exchange", types: ["cards_exchanged"],
    due: (t) => (t.order.length === 2 ? exchangers(t).slice(0, 1) : exchangers(t)), act: exchange,
  },
  play: {
    name: "play", types: ["card_played"],
    due: (t) => [seatAfter(t.game, t.leader, t.trick.length)], act: play,
  },
  trick: { name: "taking", types: ["trick_taken"], due: (t) => [winnerOf(t)], act: takeTrick },
  over: { name: "scoring", types: [], due: () => [], act: () => null },
};

function phaseOf(table) {
  if (table.blind.size > 0) return PHASES.blind;
  if (table.order.length === 2 && table.turns < 26) return PHASES.draft;
  if (bidders(table).length > 0) return PHASES.bidding;
  if (exchangers(table).length > 0) return PHASES.exchange;
  if (table.trick.length === table.order.length) return PHASES.trick;
  return table.tricks === 13 ? PHASES.over : PHASES.play;
}

function who(table, phase, event) {
  if (!phase.due(table).includes(event.seat)) return fault("/seat", "is not the right seat");
  if (event.actor === "game") return null;
  const bot = table.game.chairs[event.seat].kind === "bot";
  return bot === (event.actor === "bot") ? null : fault("/actor", "does not hold the seat");
}

function answer(table, { type, seat }) {
  table.blind.delete(seat);
  if (type === "double_nil_bid") table.doubles.add(seat);
  return null;
}

function draft(table, { seat, data }) {
  table.turns += 1;
  if (data.turn !== table.turns) return fault("/data/turn", `should be ${table.turns}`);
  table.holdings.get(seat).add(data.kept.value);
  return null;
}

const bidders = ({ order, doubles, bids }) =>
  order.filter((seat) => !doubles.has(seat) && !bids.has(seat));

function bid(table, { seat, data: { tricks } }) {
  const { nil, min_side_bid: least } = table.options;
  const partner = partnerOf(table.game, seat);
  const last = !partner || table.doubles.has(partner) || table.bids.has(partner);
  if (tricks === 0 && nil === null) return fault("/data/tricks", "Nil is not offered");
  if (tricks > 0 && least !== null && last && tricks + (table.bids.get(partner) ?? 0) < least) {
    return fault("/data/tricks", "is below the least bid of a side");
  }
  table.bids.set(seat, tricks);
  return null;
}

/** Who has yet to exchange: a lone Double Nil bidder and the partner, or for two each bidder. */
function exchangers({ game, order, options, doubles, exchanged }) {
  if (options.exchange_cards === 0) return [];
  const swaps = (seat) => doubles.has(seat) !== doubles.has(partnerOf(game, seat));
  const due = order.length === 2 ? (seat) => doubles.has(seat) : swaps;
  return order.filter((seat) => due(seat) && !exchanged.has(seat));
}

function exchange(table, { seat, data }) {
  const { game, holdings, exchanged, options } = table;
  const [key, count] = data.given ? ["given", options.exchange_cards] : ["thrown", data.count];
  const chosen = data[key].value;
  const pointer = `/data/${key}`;
  if (chosen.length !== count) return fault(pointer, "is not the right number of cards");
  if (count > options.exchange_cards) return fault("/data/count", "is more than the options allow");
  if (!chosen.every((one) => holdings.get(seat).has(one))) return fault(pointer, "was not held");
  if (new Set(chosen).size !== count || !same(chosen, inDeckOrder(chosen))) {
    return fault(pointer, "is not in the order of the deck");
  }
  if (!data.given && data.drawn.value.length !== count) {
    return fault("/data/drawn", "is not the right number of cards");
  }
  exchanged.set(seat, chosen);
  const partner = partnerOf(game, seat);
  if (!data.given) move(holdings.get(seat), chosen, data.drawn.value);
  else if (exchanged.has(partner)) {
    move(holdings.get(seat), chosen, exchanged.get(partner));
    move(holdings.get(partner), exchanged.get(partner), chosen);
  }
  return null;
}

function move(holding, away, here) {
  for (const one of away) holding.delete(one);
  for (const one of here) holding.add(one);
}

const isSpade = (one) => one[1] === "S";

function play(table, { seat, data: { card: played } }) {
  const { trick, options } = table;
  const holding = table.holdings.get(seat);
  const led = trick[0]?.card[1];
  if (!holding.has(played)) return fault("/data/card", "was not held");
  if (led && played[1] !== led && [...holding].some((one) => one[1] === led)) {
    return fault("/data/card", "does not follow suit");
  }
  const closed = options.lead_spades === "broken" && !table.broken;
  if (!led && isSpade(played) && closed && ![...holding].every(isSpade)) {
    return fault("/data/card", "leads a spade before spades are broken");
  }
  holding.delete(played);
  trick.push({ seat, card: played });
  table.broken ||= isSpade(played);
  return null;
}

function winnerOf({ trick }) {
  const suit = trick.some((one) => isSpade(one.card)) ? "S" : trick[0].card[1];
  const able = trick.filter((one) => one.card[1] === suit);
  return able.reduce((a, b) => (ORDER.get(a.card) > ORDER.get(b.card) ? a : b)).seat;
}

function takeTrick(table, { seat, data }) {
  table.tricks += 1;
  if (data.number !== table.tricks) return fault("/data/number", `should be ${table.tricks}`);
  if (data.leader !== table.leader) return fault("/data/leader", "did not lead");
  const played = table.trick.map((one) => one.card);
  if (!same(data.cards, played)) return fault("/data/cards", "were not played");
  table.leader = seat;
  table.trick = [];
  return null;
}

// --------------------------------------------------------------------- the checks: scores and end

function checkScores(game, report) {
  for (const hand of scoredHands(game)) {
    const due = score(game, hand);
    conform(hand.scored.data, alike({ ...hand.scored.data, ...due }), "/data", (pointer, detail) =>
      report("scores", hand.scored.version, pointer, detail),
    );
  }
  checkOutcome(game, (event, pointer, detail) => report("scores", event.version, pointer, detail));
}

/** The shape that only this value has. */
function alike(value) {
  if (!isObject(value)) return named("what follows from the tricks", (v) => same(v, value));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, alike(member)]));
}

/** What a hand's events say should be in its score. */
function score(game, hand) {
  const of = (type, seat) => hand.events.filter((one) => one.type === type && one.seat === seat);
  const doubles = game.seats.filter((seat) => of("double_nil_bid", seat).length > 0);
  const bidOf = (seat) => (doubles.includes(seat) ? 0 : of("bid_made", seat)[0]?.data.tricks);
  const bids = new Map(game.seats.map((seat) => [seat, bidOf(seat)]));
  const taken = (seat) => of("trick_taken", seat).length;
  const standing = standingBefore(game, hand);
  const sides = Object.entries(game.sides).map(([side, members]) => {
    const players = members.map((seat) => ({
      bid: bids.get(seat) ?? 0, tricks: taken(seat), double: doubles.includes(seat),
    }));
    return [side, scoreOfSide(players, standing[side], game.options)];
  });
  return {
    number: hand.number,
    bids: Object.fromEntries(game.seats.map((seat) => [seat, bids.get(seat) ?? null])),
    double_nil: doubles,
    tricks: Object.fromEntries(game.seats.map((seat) => [seat, taken(seat)])),
    sides: Object.fromEntries(sides),
  };
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

function scoreOfSide(players, standing, options) {
  const bidding = players.filter((player) => player.bid > 0);
  const nils = players.filter((player) => player.bid === 0);
  const nilTricks = sum(nils.map((player) => player.tricks));
  const bid = sum(bidding.map((player) => player.bid));
  const helping = bid > 0 && options.failed_nil_tricks === "bid";
  const forBid = sum(bidding.map((player) => player.tricks)) + (helping ? nilTricks : 0);
  const made = bid > 0 && forBid >= bid;
  const worth = options.ten_for_200 && made && bid === 10 ? 200 : 10 * bid;
  const over = made ? forBid - bid : 0;
  const newBags = over + (helping || options.failed_nil_tricks === "ignore" ? 0 : nilTricks);
  const nilWorth = (player) => (player.double ? options.double_nil : options.nil) ?? 0;
  const sign = (player) => (player.tricks === 0 ? 1 : -1);
  const nilPoints = sum(nils.map((player) => sign(player) * nilWorth(player)));
  const bags = standing.bags + newBags;
  const limit = options.bag_limit ?? Infinity;
  const penalty = 0 - Math.floor(bags / limit) * options.bag_penalty;
  const contract = made ? worth : 0 - worth;
  const points = contract + newBags + nilPoints + penalty;
  return {
    bid, tricks: sum(players.map((player) => player.tricks)), tricks_for_bid: forBid, made,
    contract_points: contract, bag_points: newBags, nil_points: nilPoints, bag_penalty: penalty,
    new_bags: newBags, bags: bags % limit, hand_points: points, points: standing.points + points,
  };
}

/** Whether and how a game is over at these totals; null where it goes on. */
function outcome(points, hands, { target, lose_at: floor, max_hands: most }) {
  const [one, other] = Object.keys(points);
  const tie = points[one] === points[other];
  const higher = tie ? null : points[one] > points[other] ? one : other;
  if (higher && points[higher] >= target) return { winner: higher, reason: "target_reached" };
  const fallen = floor !== null && Math.min(points[one], points[other]) <= floor;
  if (higher && fallen) return { winner: higher, reason: "floor_reached" };
  return hands >= most ? { winner: higher, reason: "max_hands" } : null;
}

const totals = (sides, key) =>
  Object.fromEntries(Object.entries(sides).map(([side, parts]) => [side, parts[key]]));

function checkOutcome(game, wrong) {
  const scored = scoredHands(game);
  const over = (hand, place) =>
    outcome(totals(hand.scored.data.sides, "points"), place + 1, game.options);
  scored.forEach((hand, place) => {
    const next = game.hands[game.hands.indexOf(hand) + 1];
    if (next && over(hand, place)) wrong(next.start, "/type", "the game was over");
  });
  if (!game.end) return;
  const { type, actor, data } = game.end;
  const sides = standingBefore(game);
  for (const [key, due] of [
    ["points", totals(sides, "points")], ["bags", totals(sides, "bags")], ["hands", scored.length],
  ]) {
    if (!same(data[key], due)) wrong(game.end, `/data/${key}`, "is not what the hands add up to");
  }
  if (type === "game_aborted") return;
  if ((actor === "game") !== REASONS.includes(data.reason)) {
    return wrong(game.end, "/data/reason", "does not go with the actor");
  }
  if (actor !== "game") return;
  const last = game.hands.at(-1);
  const due = last?.scored ? over(last, scored.length - 1) : null;
  if (!due) return wrong(game.end, "/type", "the game was not over");
  if (due.winner !== data.winner) wrong(game.end, "/data/winner", "is not who won");
  if (due.reason !== data.reason) wrong(game.end, "/data/reason", "is not why the game ended");
}

function checkEnd(game, report) {
  const last = game.events.at(-1);
  if (game.end && game.end !== last) {
    const next = game.events[game.events.indexOf(game.end) + 1];
    report("end", next.version, "/type", "comes after the end");
  }
  const due = game.end ? null : dueByItself(game);
  if (due) report("end", last.version, "", `the log stops where ${due} must follow`);
}

/** What the game itself must do next, as far as everybody can see. */
function dueByItself(game) {
  const hand = game.hands.at(-1);
  const open = game.seats.filter((seat) => game.chairs[seat].kind === "open");
  if (!hand) return open.every((seat) => game.claims.has(seat)) ? "the first hand" : null;
  if (hand.scored) return "the next hand or the end";
  const of = (type) => hand.events.filter((event) => event.type === type).length;
  const tricks = of("trick_taken");
  if (of("card_played") - tricks * game.seats.length >= game.seats.length) return "a trick";
  return tricks >= 13 ? "a score" : null;
}

// ------------------------------------------------------------------------------ one export at all

const CHECKS = ["format", "chain", "leaves", "deals", "actions", "bots", "scores", "end"];

function judgeExport(exported, report) {
  const sound = checkFormat(exported, report);
  checkChain(exported, report);
  const game = sound ? gameIn(exported.header.game_id, exported.events) : null;
  checkLeaves(exported, game, report);
  if (game) {
    checkOpens(exported, game, report);
    checkDeals(game, report);
    checkActions(game, report);
    checkScores(game, report);
    checkEnd(game, report);
  }
  exported.game = game;
  return openChecks(game);
}

/** The checks that cannot be said to have passed, for want of knowledge. */
function openChecks(game) {
  if (!game) return ["deals", "actions", "bots", "scores", "end"];
  const hidden = readable(game).length < game.hands.length;
  const decided = game.end && !REASONS.includes(game.end.data.reason);
  return [
    "bots",
    ...(hidden || !game.seed ? ["deals"] : []),
    ...(hidden ? ["actions", "scores", "end"] : []),
    ...(decided ? ["scores"] : []),
  ];
}

// ------------------------------------------------------------------------ results and signatures

const utf8 = (raw) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw);

function unbase64(part) {
  const raw = Buffer.from(part, "base64url");
  if (raw.toString("base64url") !== part) throw new SyntaxError("not base64url");
  return raw;
}

/** Takes a compact JWS apart: its header, its payload, and what is signed by what. */
function readJws(compact) {
  const parts = typeof compact === "string" ? compact.split(".") : [];
  if (parts.length !== 3) throw new SyntaxError("not a compact JWS");
  const [header, payload] = parts.slice(0, 2).map((part) => readJson(utf8(unbase64(part))));
  return { header, payload, signed: parts.slice(0, 2).join("."), signature: unbase64(parts[2]) };
}

/** Reads a JWK Set into keys by their id; without one answers null. */
function readKeys(raw, report) {
  const keys = new Map();
  let set;
  try {
    set = readJson(utf8(raw));
  } catch (error) {
    report(error.message);
  }
  if (!Array.isArray(set?.keys)) report("is not a JWK Set");
  for (const jwk of Array.isArray(set?.keys) ? set.keys : []) {
    try {
      const { kty, crv, x, alg, use, kid } = jwk;
      if (kty !== "OKP" || crv !== "Ed25519" || alg !== "EdDSA" || use !== "sig") {
        throw new TypeError("not an Ed25519 key for signatures");
      }
      if (unbase64(x).length !== 32) throw new TypeError("not 32 bytes");
      const thumbprint = sha256(jcs({ crv, kty, x })).toString("base64url");
      if (kid !== thumbprint) throw new TypeError("its kid is not its thumbprint");
      keys.set(kid, createPublicKey({ key: { kty, crv, x }, format: "jwk" }));
    } catch (error) {
      report(`a key cannot be used: ${error.message}`);
    }
  }
  return keys;
}

/** Judges a JWS; answers its payload, or null where it has none. */
function judgeJws(document, typ, keys, report) {
  let jws;
  try {
    jws = readJws(document.jws);
  } catch (error) {
    report("format", null, "/jws", error.message);
    return null;
  }
  const shape = { alg: oneOf("EdDSA"), kid: text, typ: oneOf(typ) };
  conform(jws.header, shape, "", (pointer, detail) =>
    report("signature", null, pointer, `the protected header ${detail}`),
  );
  if (!keys) return jws.payload;
  const key = keys.get(jws.header?.kid);
  if (!key) report("signature", null, "/kid", "the key is not in the JWK Set");
  else if (!verifySignature(null, Buffer.from(jws.signed), key, jws.signature)) {
    report("signature", null, "", "the signature is not by its key");
  }
  return jws.payload;
}

function resultShape(seats) {
  const sides = Object.keys(SIDES[seats.length]);
  return {
    format: oneOf("spades-result/1"), id: text, supersedes: orNull(text), issued_at: time,
    game_id: uuid, ruleset: oneOf(...Object.keys(SEATS)), options: OPTIONS, options_hash: hex,
    status: oneOf("finished", "aborted"), winner: orNull(oneOf(...sides)), reason: text,
    points: each(sides, int(-1e9)), bags: each(sides, int(0)), hands: int(0),
    seats: each(seats, {
      kind: oneOf("human", "bot", "open"), level: orNull(text), player_ref: orNull(text),
    }),
    finished_at: time, version: int(1), log_head: hex,
  };
}

const CHECKPOINT = {
  format: oneOf("spades-checkpoint/1"), tree_size: int(1), root_hash: hex, made_at: time,
};

/** Judges a signed document by itself: its signature, its shape, and that both forms agree. */
function judgeSigned(document, report, keys) {
  const before = document.failed.size;
  const result = document.kind === "result";
  const payload = judgeJws(document, `spades-${document.kind}+json`, keys, report);
  const shape = result ? resultShape(seatsOf(payload?.ruleset)) : CHECKPOINT;
  const wrong = (pointer, detail) => report("format", null, pointer, detail);
  if (payload !== null) conform(payload, shape, "", wrong);
  if (document.value) {
    const { jws, ...members } = document.value;
    if (!same(members, payload)) wrong("", "is not the payload that was signed");
  }
  if (result && isObject(payload?.options)) {
    const hash = sha256(jcs(payload.options)).toString("hex");
    if (hash !== payload.options_hash) {
      report("result", null, "/options_hash", "is not the options' hash");
    }
  }
  if (result && payload && payload.supersedes === payload.id) {
    report("result", null, "/supersedes", "names the result itself");
  }
  document.payload = document.failed.size === before ? payload : null;
  return keys ? [] : ["signature"];
}

/** Says where a result departs from an export of its game. */
function compareResult(result, { game }, report) {
  const wrong = (pointer, detail) => report("result", result.version, pointer, detail);
  const { end, events } = game;
  const named = events[result.version - 1];
  if (named && named !== end) return wrong("/version", "is not where the game ended");
  if (!end) return;
  if (!named) return wrong("/version", "is after the game's end");
  const { data } = end;
  const seats = Object.fromEntries(game.seats.map((seat) => {
    const { kind, level } = game.chairs[seat];
    return [seat, { kind: game.claims.has(seat) ? "human" : kind, level }];
  }));
  const due = {
    log_head: end.hash, finished_at: end.at, ruleset: game.created.data.ruleset,
    options: game.options, status: end.type.slice("game_".length), winner: data.winner,
    reason: data.reason, points: data.points, bags: data.bags, hands: data.hands,
  };
  for (const [key, value] of Object.entries(due)) {
    if (!same(result[key], value)) wrong(`/${key}`, "is not what the game's export says");
  }
  for (const [seat, { kind, level }] of Object.entries(seats)) {
    const told = result.seats[seat];
    if (told?.kind !== kind || told.level !== level) wrong(`/seats/${seat}`, "did not sit there");
  }
}

// ---------------------------------------------------------------------------------------- proofs

const leafHash = (entry) => sha256(Buffer.from([0]), jcs(entry));
const nodeHash = (left, right) => sha256(Buffer.from([1]), left, right);
const odd = (n) => n % 2n === 1n;

const INCLUSION = {
  format: oneOf("spades-inclusion/1"), game_id: uuid, version: int(1), head: hex,
  leaf_index: int(0), tree_size: int(1), inclusion_path: [hex],
};
const CONSISTENCY = {
  format: oneOf("spades-consistency/1"), first_size: int(1), second_size: int(1),
  consistency_path: [hex],
};

/** RFC 9162, 2.1.3.2. */
function includes({ game_id, head, version, leaf_index, tree_size, inclusion_path }, root) {
  if (leaf_index >= tree_size) return false;
  let [fn, sn] = [BigInt(leaf_index), BigInt(tree_size) - 1n];
  let hash = leafHash({ game_id, head, version });
  for (const step of inclusion_path.map(unhex)) {
    if (sn === 0n) return false;
    if (odd(fn) || fn === sn) {
      hash = nodeHash(step, hash);
      while (!odd(fn) && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else {
      hash = nodeHash(hash, step);
    }
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  return sn === 0n && hash.toString("hex") === root;
}

/** RFC 9162, 2.1.4.2; equal trees, and the empty one, need no path. */
function extendsTree({ first_size, second_size, consistency_path }, first, second) {
  if (first_size > second_size) return false;
  if (first_size === second_size) return consistency_path.length === 0 && first === second;
  const path = consistency_path.map(unhex);
  if (path.length === 0) return false;
  let [fn, sn] = [BigInt(first_size) - 1n, BigInt(second_size) - 1n];
  if (((fn + 1n) & fn) === 0n) path.unshift(unhex(first)); // the first tree is a full one
  while (odd(fn)) [fn, sn] = [fn >> 1n, sn >> 1n];
  let [before, after] = [path[0], path[0]];
  for (const step of path.slice(1)) {
    if (sn === 0n) return false;
    if (odd(fn) || fn === sn) {
      [before, after] = [nodeHash(step, before), nodeHash(step, after)];
      while (!odd(fn) && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else {
      after = nodeHash(after, step);
    }
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  return sn === 0n && before.toString("hex") === first && after.toString("hex") === second;
}

function judgeProof(document, report) {
  const shape = document.kind === "inclusion" ? INCLUSION : CONSISTENCY;
  conform(document.value, shape, "", (pointer, detail) => report("format", null, pointer, detail));
  document.payload = document.failed.has("format") ? null : document.value;
  return document.payload ? [] : [document.kind];
}

// --------------------------------------------------------------------------------- between files

function compareFiles(documents, reportOf) {
  const of = (kind) => documents.filter((one) => one.kind === kind && (one.payload ?? one.events));
  const exports = of("export");
  const heads = agreement(exports, reportOf);
  seedsOfTheirOwn(exports, reportOf);
  for (const document of of("result")) {
    const games = exports.filter((one) => one.game?.gameId === document.payload.game_id);
    if (games.length === 0) document.open.push("result");
    for (const one of games) compareResult(document.payload, one, reportOf(document));
  }
  oneResultOfAGame(of("result"), reportOf);
  const roots = rootsBySize(of("checkpoint"), reportOf);
  for (const one of of("inclusion")) proveInclusion(one.payload, roots, heads, reportOf(one));
  for (const one of of("consistency")) proveConsistency(one.payload, roots, reportOf(one));
}

/** Says where exports of one game differ; answers every hash by game and version. */
function agreement(exports, reportOf) {
  const heads = new Map();
  for (const document of exports) {
    const id = document.header.game_id;
    if (!uuid(id)) continue;
    if (!heads.has(id)) heads.set(id, new Map());
    const known = heads.get(id);
    for (const [place, { version, hash }] of document.events.entries()) {
      if (version !== place + 1 || !hex(hash)) continue;
      if (!known.has(version)) known.set(version, hash);
      else if (known.get(version) !== hash) {
        const detail = "differs from another export of this game";
        reportOf(document)("agreement", version, "/hash", detail);
        break;
      }
    }
  }
  return heads;
}

/** Holds the results of a game against one another: only who sat where can be corrected. */
function oneResultOfAGame(results, reportOf) {
  const known = new Map();
  for (const document of results) {
    const { id, supersedes, issued_at: issued, seats, ...said } = document.payload;
    if (!known.has(said.game_id)) known.set(said.game_id, said);
    else if (!same(known.get(said.game_id), said)) {
      reportOf(document)("result", null, "", "says otherwise than another result of this game");
    }
  }
}

function seedsOfTheirOwn(exports, reportOf) {
  const owners = new Map();
  for (const document of exports.filter((one) => one.game?.seed)) {
    const { gameId, end } = document.game;
    const seed = end.data.game_seed;
    if (!owners.has(seed)) owners.set(seed, gameId);
    else if (owners.get(seed) !== gameId) {
      reportOf(document)("seeds", end.version, "/data/game_seed", "is another game's seed as well");
    }
  }
}

function rootsBySize(checkpoints, reportOf) {
  const roots = new Map();
  for (const document of checkpoints) {
    const { tree_size: size, root_hash: root } = document.payload;
    if (!roots.has(size)) roots.set(size, root);
    else if (roots.get(size) !== root) {
      const detail = "differs from another checkpoint of this size";
      reportOf(document)("checkpoint", null, "/root_hash", detail);
    }
  }
  return roots;
}

const NO_TREE = "no checkpoint of this size is among the files";

function proveInclusion(proof, roots, heads, report) {
  const root = roots.get(proof.tree_size);
  if (!root) report("inclusion", null, "/tree_size", NO_TREE);
  else if (!includes(proof, root)) report("inclusion", null, "", "does not fit the checkpoint");
  const known = heads.get(proof.game_id);
  if (known && !known.has(proof.version)) {
    report("inclusion", proof.version, "/version", "is after the end of the game's export");
  } else if (known && known.get(proof.version) !== proof.head) {
    report("inclusion", proof.version, "/head", "is not the hash in the game's export");
  }
}

function proveConsistency(proof, roots, report) {
  const [first, second] = [roots.get(proof.first_size), roots.get(proof.second_size)];
  if (!first) report("consistency", null, "/first_size", NO_TREE);
  if (!second) report("consistency", null, "/second_size", NO_TREE);
  if (first && second && !extendsTree(proof, first, second)) {
    report("consistency", null, "", "does not fit the checkpoints");
  }
}

// ----------------------------------------------------------------------------- files and command

const KINDS = {
  "spades-result/1": ["result", ["format", "signature", "result"]],
  "spades-checkpoint/1": ["checkpoint", ["format", "signature", "checkpoint"]],
  "spades-inclusion/1": ["inclusion", ["format", "inclusion"]],
  "spades-consistency/1": ["consistency", ["format", "consistency"]],
};
const COMPACT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\s*$/;

const document = (file, kind, checks, members) => ({
  file, kind, checks, faults: [], failed: new Set(), open: [], ...members,
});

/** Answers the documents of a file: one for each export, else exactly one. */
function documentsIn(file, raw) {
  const unknown = (detail) => [document(file, "unknown", ["format"], { faults: [detail] })];
  let content;
  try {
    content = utf8(raw);
  } catch {
    return unknown("is not UTF-8");
  }
  if (COMPACT.test(content)) {
    return [document(file, ...KINDS["spades-result/1"], { jws: content.trim() })];
  }
  if (isExportHeader(content)) return exportsIn(file, content);
  try {
    const value = readJson(content);
    const kind = Object.entries(KINDS).find(([format]) => format === value?.format)?.[1];
    if (!kind) return unknown("has no known format");
    return [document(file, ...kind, { value, jws: value.jws })];
  } catch (error) {
    return unknown(error.message);
  }
}

function isExportHeader(content) {
  try {
    return readJson(content.split("\n", 1)[0]).format === "spades-export/1";
  } catch {
    return false;
  }
}

function exportsIn(file, content) {
  const exports = [];
  const lines = content.split("\n");
  const unended = lines.pop() !== "";
  (unended ? content.split("\n") : lines).forEach((line, place) => {
    let value;
    try {
      value = readJson(line);
      if (!isObject(value)) throw new SyntaxError("not an object");
    } catch (error) {
      exports.at(-1).faults.push(`line ${place + 1}: ${error.message}`);
      value = {}; // holds the place, so that the events after it keep theirs
    }
    const begun = { header: value, events: [] };
    if ("format" in value) exports.push(document(file, "export", CHECKS, begun));
    else exports.at(-1).events.push(value);
  });
  if (unended) exports.at(-1).faults.push("the last line has no end");
  return exports;
}

function judge(one, keys, report) {
  for (const detail of one.faults) report("format", null, "", detail);
  const judges = {
    export: judgeExport, result: judgeSigned, checkpoint: judgeSigned, inclusion: judgeProof,
    consistency: judgeProof, unknown: () => [],
  };
  one.open.push(...judges[one.kind](one, report, keys));
}

/** Judges all files, each by itself and then together: `{ok, files, findings}`. */
function verify(files, jwks) {
  const findings = [];
  const reportOf = (one) => (check, version, pointer, detail) => {
    one.failed.add(check);
    const told = Number.isSafeInteger(version) ? version : null;
    findings.push({ file: one.file, check, version: told, pointer, detail });
  };
  const guarded = (one, work) => {
    try {
      work();
    } catch (error) {
      reportOf(one)("format", null, "", `cannot be checked: ${error.message}`);
    }
  };
  const keys = jwks && readKeys(jwks.raw, (detail) =>
    findings.push({ file: jwks.file, check: "signature", version: null, pointer: "", detail }),
  );
  const documents = files.flatMap(({ file, raw }) => documentsIn(file, raw));
  for (const one of documents) guarded(one, () => judge(one, keys, reportOf(one)));
  if (documents.length > 0) guarded(documents[0], () => compareFiles(documents, reportOf));
  return { ok: findings.length === 0, files: documents.map(summary), findings };
}

function summary({ file, kind, header, payload, checks, failed, open }) {
  const unfailed = (check) => (open.includes(check) ? "open" : "passed");
  const verdict = (check) => (failed.has(check) ? "failed" : unfailed(check));
  const id = header?.game_id ?? payload?.game_id;
  const told = {
    file, kind, game_id: uuid(id) ? id : null,
    checks: Object.fromEntries(checks.map((check) => [check, verdict(check)])),
  };
  return kind === "export" ? { ...told, ...about(header) } : told;
}

const about = ({ viewer, version }) => ({
  viewer: HEADER.viewer(viewer) ? viewer : null,
  version: HEADER.version(version) ? version : null,
});

function lines({ files, findings }) {
  const told = files.map(({ file, kind, game_id: id, viewer, checks }) => {
    const verdicts = Object.entries(checks).map(([check, verdict]) => {
      const unchecked = check === "signature" && verdict === "open";
      return `${check} ${unchecked ? "not checked" : verdict}`;
    });
    return `${[`${file}:`, kind, id, viewer].filter(Boolean).join(" ")}: ${verdicts.join(", ")}`;
  });
  const wrong = findings.map(({ file, check, version, pointer, detail }) => {
    const event = version === null ? "" : `event ${version}`;
    const place = [event, pointer].filter(Boolean).join(" ");
    return [file, place, check, detail].filter(Boolean).join(": ");
  });
  return [...wrong, ...told].map((line) => `${line}\n`).join("");
}

function main(args) {
  const usage = "usage: verify.mjs FILE... [--jwks FILE] [--json]\n";
  const files = [];
  let [json, jwks] = [false, null];
  while (args.length > 0) {
    const arg = args.shift();
    if (arg === "--json") json = true;
    else if (arg === "--jwks" && args.length > 0 && jwks === null) jwks = args.shift();
    else if (arg.startsWith("-")) return process.stderr.write(usage), 2;
    else files.push(arg);
  }
  if (files.length === 0) return process.stderr.write(usage), 2;
  let read;
  try {
    const all = jwks === null ? files : [...files, jwks];
    read = all.map((file) => ({ file, raw: readFileSync(file) }));
  } catch (error) {
    return process.stderr.write(`verify.mjs: ${error.message}\n`), 2;
  }
  const found = verify(read.slice(0, files.length), read[files.length]);
  process.stdout.write(json ? `${JSON.stringify(found)}\n` : lines(found));
  return found.ok ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
