import { assert, it } from "@effect/vitest"
import { filesIn, type Found, longSentencesOf, placesOf, read, sourceOf } from "./sources.ts"

/** How many hits there may be. A number only shrinks: a change that removes a hit lowers it here. All others are 0. */
const table: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  sentences: {
    agent: 46,
    cli: 120,
    console: 132,
    domain: 19,
    gateway: 60,
    store: 46,
    testing: 20,
    upstream: 4
  },
  identifiers: {
    Answered: 180,
    Asked: 20,
    RefusalBox: 123,
    Standing: 26,
    act: 252,
    acts: 85,
    asked: 95,
    beyond: 30,
    conclude: 15,
    dead: 30,
    did: 12,
    early: 11,
    given: 627,
    hungUp: 2,
    kept: 141,
    late: 48,
    look: 45,
    mortal: 3,
    patience: 13,
    seen: 146,
    sentence: 55,
    stick: 4,
    tell: 24,
    told: 56,
    turnBack: 4,
    useAct: 181,
    wanted: 431,
    withdrew: 4,
    words: 1303
  },
  titles: {}
}

/** Clauses in place of nouns, denials in place of names, and acts without an actor. */
const riddles = [
  // Not "what to do".
  /\bwhat(?:ever)?\b(?! to\b)/,
  // Not "there is no route" and "is no longer".
  /(?<!\bthere )\b(?:is|are|was|were) no\b(?! (?:longer|more|less)\b)/,
  /\b(?:is|are|was|were) (?:none|gone)\b/,
  /\b(?:is|are|was|were|be|been|being) made\b/,
  /\bin (?:its|his|her|their|the) (?:own |same )?words\b|'s (?:own )?words\b|\bwords of\b/,
  /\b(?:no|any|some|every)body\b|\bwhoever\b/,
  /\bgo(?:es)? on\b|\bunder way\b|\blooked at\b|\b(?:told|tells?)\b|\bh[ua]ngs? up\b/
]

/** Names of our own, each with the field's. */
const names: Readonly<Record<string, string>> = {
  Answered: "QueryResult",
  Asked: "Request",
  RefusalBox: "ErrorAlert",
  Standing: "CallerState, DatabaseStatus",
  act: "action",
  acts: "actions",
  asked: "request",
  beyond: "violation",
  conclude: "apply",
  dead: "inactive",
  did: "recordStep",
  early: "premature",
  given: "input, args",
  hungUp: "clientDisconnected",
  kept: "cached, stored",
  late: "overdue, delayed",
  look: "observe, read",
  mortal: "temporary",
  patience: "timeout",
  seen: "observed, known",
  sentence: "message",
  stick: "markStuck",
  tell: "publish",
  told: "published, event",
  turnBack: "startRollback",
  useAct: "useMutation",
  wanted: "desired, requested",
  withdrew: "recordUndo",
  words: "message, messages"
}

const ofTitles: Readonly<Record<string, RegExp>> = {
  "a clause first": /^(?:what|who|whom|whose|which)(?:ever)?\b/gi,
  "nobody, somebody, everybody, whoever": /\b(?:no|any|some|every)body\b|\bwhoever\b/gi,
  "told, tells": /\b(?:told|tells?)\b/gi,
  "is no": /(?<!\bthere )\b(?:is|are|was|were) no\b(?! (?:longer|more|less)\b)/gi
}

const advice: Readonly<Record<string, (row: string) => string>> = {
  sentences: () => "Put the subject first, name who acts, and take a noun for the thing.",
  identifiers: (name) => `The field's name: ${names[name]}.`,
  titles: () => "Begin with the subject, and name who acts.",
  "sentences of more than 40 words": () => "One fact a sentence."
}

type Hits = Readonly<Record<string, ReadonlyArray<Found> | undefined>>

const packages = ["agent", "cli", "client", "console", "contract", "domain", "gateway", "store", "testing", "upstream"]

const hitsByKind = (): Readonly<Record<string, Hits>> => {
  const riddle = new RegExp(riddles.map((_) => _.source).join("|"), "gi")
  const sources = packages.map((name) => ({ name, files: filesIn(`packages/${name}/src`, /\.tsx?$/).map(sourceOf) }))
  const texts = new Map(sources.map(({ files, name }) => [name, files.flatMap((_) => _.texts)]))
  const identifiers = sources.flatMap(({ files }) => files.flatMap((_) => _.identifiers))
  const titles = [...packages, "simulator"]
    .flatMap((name) => filesIn(`packages/${name}/test`, /\.tsx?$/))
    .flatMap((_) => sourceOf(_).titles)
  const documents = filesIn("docs", /\.md$/).map((file): Found => ({ file, offset: 0, text: read(file) }))
  const long = (found: ReadonlyArray<Found> = []) => found.flatMap((_) => longSentencesOf(_, 40))
  return {
    sentences: Object.fromEntries([...texts].map(([name, found]) => [name, matching(found, riddle)])),
    identifiers: Object.groupBy(
      identifiers.filter((_) => Object.hasOwn(names, _.text)),
      (_) => _.text
    ),
    titles: Object.fromEntries(Object.entries(ofTitles).map(([row, pattern]) => [row, matching(titles, pattern)])),
    "sentences of more than 40 words": { contract: long(texts.get("contract")), docs: long(documents) }
  }
}

/** Each text as often as it has the pattern. */
const matching = (found: ReadonlyArray<Found>, pattern: RegExp): ReadonlyArray<Found> =>
  found.flatMap((_) => [..._.text.matchAll(pattern)].map(() => _))

it("sentences, names and titles have no more words of our own than the table says", () => {
  const problems = Object.entries(hitsByKind()).flatMap(([kind, hits]) =>
    [...new Set([...Object.keys(hits), ...Object.keys(table[kind] ?? {})])].flatMap((row) => {
      const found = hits[row] ?? []
      const allowed = table[kind]?.[row] ?? 0
      const counts = `${kind}, ${row}: ${found.length} instead of ${allowed}.`
      if (found.length < allowed) return [`${counts} Lower the number in packages/contract/test/wording.test.ts.`]
      return found.length > allowed ? [`${counts} ${advice[kind]?.(row)}\n${placesOf(found)}`] : []
    })
  )
  if (problems.length > 0) assert.fail(problems.join("\n"))
})
