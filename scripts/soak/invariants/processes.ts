import { type Check, finding } from "./check.ts"

export const noCrash: Check = ({ processes }) =>
  finding(
    "no crash",
    "No process of the gateway ended that the run did not end, and each became ready.",
    processes.length,
    processes.flatMap(({ endedAt, expected, how, name, readyAt }) => [
      ...(endedAt !== undefined && !expected ? [`${name} ended by itself: ${how}`] : []),
      ...(readyAt === undefined ? [`${name} never became ready`] : [])
    ])
  )

export const noInternalError: Check = ({ calls }) =>
  finding(
    "no 500",
    "No call was answered with a 500.",
    calls.filter((_) => _.status !== null).length,
    calls
      .filter((_) => _.status === 500)
      .map((_) => `${_.method} ${_.path} at ${(_.sentAt / 1000).toFixed(1)} s by ${_.process}: ${_.requestId}`)
  )

export const noComplaint: Check = ({ calls, complaints }) =>
  finding(
    "no complaint",
    "No client saw something that was made vanish, no revoked key was let in, no log speaks of a lost event.",
    calls.length,
    complaints
  )

export const nothingUnderWay: Check = (_, { tenants, underWay }) =>
  finding("at rest", "Nothing is under way, stuck or leased once the load is over.", tenants.length, underWay)

/** What the greater of two numbers may be by the other. */
const tolerance = 1.05

const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
}

/** Between the third and the last quarter of the looks at each process: in the first half its caches fill. */
export const flat: Check = ({ settled }) => {
  const names = [...new Set(settled.map((_) => _.process))]
  const compared = names.flatMap((name) => {
    const looks = settled.filter((_) => _.process === name)
    const quarter = Math.floor(looks.length / 4)
    if (quarter < 1) return []
    const [early, late] = [looks.slice(-2 * quarter, -quarter), looks.slice(-quarter)]
    return (["heapMib", "rssMib", "descriptors"] as const).map((what) => {
      const [before, after] = [median(early.map((_) => _[what])), median(late.map((_) => _[what]))]
      return { name, what, before, after, looks: looks.length }
    })
  })
  return finding(
    "flat",
    "The heap after a collection, the resident memory and the descriptors of a process grow by at most 5 % between the third and the last quarter of its looks, all taken under the same load.",
    compared.length,
    compared
      .filter(({ after, before }) => after > before * tolerance)
      .map(
        ({ after, before, looks, name, what }) =>
          `${name}: ${what} ${before.toFixed(1)} -> ${after.toFixed(1)} (${((after / before - 1) * 100).toFixed(1)} %, ${looks} looks)`
      )
  )
}
