import type { Call, Evidence } from "../evidence.ts"
import type { Curve, Shade } from "./curves.ts"

const seconds = (at: number): number => at / 1000

/** By spans of so many seconds. */
const inBuckets = (calls: ReadonlyArray<Call>, each: number) =>
  [...Map.groupBy(calls, (_) => Math.floor(seconds(_.endedAt) / each))].toSorted((a, b) => a[0] - b[0])

const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

const each = 2

export const outcomesOf = ({ status }: Pick<Call, "status">): string =>
  status === null
    ? "no answer"
    : status === 500
      ? "500"
      : status === 429
        ? "429"
        : status >= 500
          ? "502, 503, 504"
          : status >= 400
            ? "refused"
            : "good"

/** Calls a second by what came of them. */
export const outcomes = ({ calls }: Evidence): ReadonlyArray<Curve> => {
  const names = ["good", "refused", "429", "502, 503, 504", "500", "no answer"]
  const buckets = inBuckets(calls, each)
  return names.map((name) => ({
    name,
    points: buckets.map(([bucket, made]) => [bucket * each, made.filter((_) => outcomesOf(_) === name).length / each])
  }))
}

/** Milliseconds that good calls took. */
export const latencies = ({ calls }: Evidence): ReadonlyArray<Curve> => {
  const good = calls.filter((_) => outcomesOf(_) === "good")
  const buckets = inBuckets(good, each)
  return [0.5, 0.95, 0.99].map((share) => ({
    name: `p${share * 100}`,
    points: buckets.map(([bucket, made]) => [
      bucket * each,
      quantile(
        made.map((_) => _.endedAt - _.sentAt),
        share
      )
    ])
  }))
}

export const held = ({ samples }: Evidence, what: "rssMib" | "descriptors"): ReadonlyArray<Curve> =>
  ["a", "b"].map((replica) => ({
    name: `replica ${replica}`,
    points: samples.filter((_) => _.process.startsWith(replica)).map((_) => [seconds(_.at), _[what]])
  }))

export const heap = ({ settled }: Evidence): ReadonlyArray<Curve> =>
  [...new Set(settled.map((_) => _.process))].map((process) => ({
    name: process,
    points: settled.filter((_) => _.process === process).map((_) => [seconds(_.at), _.heapMib])
  }))

export const grantedCores = ({ granted }: Evidence): ReadonlyArray<Curve> => [
  { name: "granted", points: granted.map((_) => [seconds(_.at), _.cores]) },
  { name: "sellable", points: granted.map((_) => [seconds(_.at), _.limit]) }
]

export const shades = ({ disturbances }: Evidence, now: number): ReadonlyArray<Shade> =>
  disturbances.map(({ from, kind, until, what }) => ({
    from: seconds(from),
    until: seconds(Math.min(until, now)),
    label: `${kind}: ${what}`
  }))
