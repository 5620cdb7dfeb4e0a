import { Effect, Layer } from "effect"
import { table } from "./table.ts"

const names = Object.keys(table)

/** Words with which settings of other software begin, too. */
const common = ["DATABASE", "DNS", "LOG", "MAIL"]

/** The first words that several settings share: `KEYSTONE_`, `ZITADEL_`. */
const prefixes: ReadonlyArray<string> = [
  "PORTICO_",
  ...new Set(
    names.flatMap((name) => {
      const [word = ""] = name.split("_")
      const isShared = names.filter((_) => _.startsWith(`${word}_`)).length > 1
      return isShared && !common.includes(word) ? [`${word}_`] : []
    })
  )
]

/** What Kubernetes and Docker set in every container for each service that they know. */
const ofServices = /_(?:SERVICE_(?:HOST|PORT(?:_.+)?)|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_.+)?)?|NAME)$/

/** Read by \`npm start\` alone. */
const ofTheDemo = ["PORTICO_DATA_DIR"]

/** So many letters off is a typo of it: few, or short names would be typos of each other. */
const tolerance = (name: string): number => (name.length < 10 ? 1 : 2)

/**
 * What somebody may have meant as a setting, a sentence each: names that are almost one, and names that begin as
 * settings do. Other variables are nobody's business here.
 */
export const warningsAbout = (variables: ReadonlyArray<string>): ReadonlyArray<string> =>
  variables.flatMap((name) => {
    if (name in table || ofTheDemo.includes(name) || !/^[A-Z][A-Z0-9_]*$/i.test(name)) return []
    const close = nearest(name.toUpperCase())
    if (close !== undefined) return [`${name} is no setting: ${close} was meant?`]
    const isOurs = prefixes.some((_) => name.startsWith(_)) && !ofServices.test(name)
    return isOurs ? [`${name} is no setting: docker/env.example lists all of them`] : []
  })

const nearest = (name: string): string | undefined =>
  names
    .map((known) => ({ known, distance: distanceOf(name, known) }))
    .filter(({ distance, known }) => distance <= tolerance(known))
    .toSorted((a, b) => a.distance - b.distance)[0]?.known

/** How many letters are to be changed, left out or put in (Levenshtein), or swapped with their neighbour. */
const distanceOf = (a: string, b: string): number => {
  let before: Array<number> = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          (last[j - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[j - 2] ?? 0) + 1 : Number.MAX_SAFE_INTEGER
        )
      )
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

/** Config reads names that are known; which others there are, it cannot say. No value is looked at. */
// oxlint-disable-next-line no-restricted-properties
const variables = Effect.sync(() => Object.keys(process.env))

/** Warns once, at the start. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(variables, (_) =>
    Effect.forEach(warningsAbout(_), (warning) => Effect.logWarning(warning), { discard: true })
  )
)
