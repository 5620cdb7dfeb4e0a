/** How the values of a series are made one. */
type Merge = (values: ReadonlyArray<number>) => number

const sum: Merge = (values) => values.reduce((all, _) => all + _, 0)
const most: Merge = (values) => Math.max(...values)
const least: Merge = (values) => Math.min(...values)
const ofFirst: Merge = ([first = 0]) => first

/** Gauges of which the worst thread counts, and series that each thread knows of the whole process. */
const merges: ReadonlyArray<{ readonly names: RegExp; readonly merge: Merge }> = [
  { names: /^process_/, merge: ofFirst },
  { names: /_(?:lag_p\d+_seconds|utilization_ratio|timestamp_seconds)$/, merge: most },
  { names: /^portico_deliveries_(?:oldest_waiting_seconds|waiting)$/, merge: most },
  { names: /_up$/, merge: least }
]

/** A component is in a state for the process when one thread finds it so; it is well when all of them do. */
const componentState = "portico_component_state"

const mergeOf = (series: string): Merge => {
  const [name = ""] = series.split("{", 1)
  if (name === componentState) return series.includes('state="ok"') ? least : most
  return merges.find(({ names }) => names.test(name))?.merge ?? sum
}

interface Family {
  readonly head: ReadonlyArray<string>
  readonly series: Map<string, Array<number>>
}

/**
 * Metrics of several threads as those of one process, in the text format of Prometheus. Counters, histograms and most
 * gauges are added.
 *
 * @param texts those of the thread that has the process's own metrics first
 */
export const mergedMetrics = (texts: ReadonlyArray<string>): string => textOf(familiesOf(texts))

/** The counters and histograms among them alone, added. Those of the process itself are left out. */
export const countersOf = (texts: ReadonlyArray<string>): string =>
  textOf(
    familiesOf(texts).filter(({ head }) => /^# TYPE (?!process_)\S+ (?:counter|histogram)$/m.test(head.join("\n")))
  )

const textOf = (families: ReadonlyArray<Family>): string => {
  const lines = families.flatMap(({ head, series }) => [...head, ...[...series].map(lineOf)])
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`
}

const familiesOf = (texts: ReadonlyArray<string>): ReadonlyArray<Family> => {
  const families = new Map<string, Family>()
  for (const text of texts) {
    let family: Family = { head: [], series: new Map() }
    let head: Array<string> = []
    for (const line of text.split("\n")) {
      if (line === "") continue
      if (line.startsWith("#")) {
        head.push(line)
        continue
      }
      if (head.length > 0) {
        const name = head.at(-1)?.split(" ")[2] ?? ""
        family = families.get(name) ?? { head, series: new Map() }
        families.set(name, family)
        head = []
      }
      const end = line.lastIndexOf(" ")
      const series = line.slice(0, end)
      family.series.set(series, [...(family.series.get(series) ?? []), Number(line.slice(end + 1))])
    }
  }
  return [...families.values()]
}

const lineOf = ([series, values]: readonly [string, ReadonlyArray<number>]): string =>
  `${series} ${mergeOf(series)(values)}`
