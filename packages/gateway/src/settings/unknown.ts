import { Effect, Layer } from "effect"
import { table } from "./table.ts"

const names = Object.keys(table)

/** First words that settings of other software share. */
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

/** Variables that Kubernetes and Docker set in every container for each known service. */
const serviceVariables = /_(?:SERVICE_(?:HOST|PORT(?:_.+)?)|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_.+)?)?|NAME)$/

/** Read by `npm start` only. */
const demoSettings = ["CLOUD_S3_PORT", "PORTICO_DATA_DIR", "PORTICO_TLS"]

/** Maximum distance of a typo. It is small, because otherwise short names would be typos of each other. */
const tolerance = (name: string): number => (name.length < 10 ? 1 : 2)

/**
 * Warnings about variables that look like misspelled settings, one sentence each: names that are almost a setting,
 * and names with the prefix of settings. All other variables are ignored.
 */
export const warningsAbout = (variables: ReadonlyArray<string>): ReadonlyArray<string> =>
  variables.flatMap((name) => {
    if (name in table || demoSettings.includes(name) || !/^[A-Z][A-Z0-9_]*$/i.test(name)) return []
    const close = nearest(name.toUpperCase())
    if (close !== undefined) return [`${name} is no setting: ${close} was meant?`]
    const hasOurPrefix = prefixes.some((_) => name.startsWith(_)) && !serviceVariables.test(name)
    return hasOurPrefix ? [`${name} is no setting: docker/env.example lists all of them`] : []
  })

const nearest = (name: string): string | undefined =>
  names
    .map((known) => ({ known, distance: distanceOf(name, known) }))
    .filter(({ distance, known }) => distance <= tolerance(known))
    .toSorted((a, b) => a.distance - b.distance)[0]?.known

/** The Levenshtein distance, with a swap of neighbouring letters as one step. */
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

/** Config reads known names only and cannot list others. No value is read here. */
// oxlint-disable-next-line no-restricted-properties
export const variables = Effect.sync(() => Object.keys(process.env))

/** Warns once, at the start. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(variables, (_) =>
    Effect.forEach(warningsAbout(_), (warning) => Effect.logWarning(warning), { discard: true })
  )
)
