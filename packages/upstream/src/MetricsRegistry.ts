import { type Context, Effect, Metric } from "effect"

/** The labels of a series: few values each, and never a path, an id or a name that a client chose. */
export type Labels = Readonly<Record<string, string>>

/** Bucket boundaries in seconds. The last one is the longest time that a request may take. */
export const boundaries: ReadonlyArray<number> = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** A counter. Callers increment `value` directly; it is read when the metrics are exported. */
export class Count {
  value = 0
}

/** Durations in the form of a Prometheus histogram. */
export class Durations {
  count = 0
  sum = 0
  min = Number.MAX_VALUE
  max = 0
  readonly #within = new Float64Array(boundaries.length)

  /**
   * @param seconds one duration
   * @param times how often it occurred
   */
  add(seconds: number, times = 1): void {
    this.count += times
    this.sum += seconds * times
    if (seconds < this.min) this.min = seconds
    if (seconds > this.max) this.max = seconds
    // Most durations are short, so a linear search takes few steps.
    let place = 0
    while (place < boundaries.length && seconds > (boundaries[place] ?? 0)) place += 1
    if (place < boundaries.length) this.#within[place] = (this.#within[place] ?? 0) + times
  }

  get buckets(): ReadonlyArray<[number, number]> {
    let cumulated = 0
    return boundaries.map((boundary, place) => [boundary, (cumulated += this.#within[place] ?? 0)])
  }
}

const ignore = (): void => {}

/** Registers the metrics of a part of the process for export. */
export class MetricsRegistry {
  readonly #context: Context.Context<never>

  constructor(context: Context.Context<never>) {
    this.#context = context
  }

  /** @param name ends with the unit: `portico_calls_total` */
  counter(name: string, description: string, attributes: Labels, read: () => number): void {
    const metric = Metric.counter(name, { description, attributes, incremental: true })
    const get = () => ({ count: read(), incremental: true })
    Metric.registerUnsafe(metric, this.#context, { get, update: ignore, modify: ignore })
  }

  /** Creates a {@link Count} and registers it. */
  count(name: string, description: string, attributes: Labels): Count {
    const count = new Count()
    this.counter(name, description, attributes, () => count.value)
    return count
  }

  gauge(name: string, description: string, attributes: Labels, read: () => number): void {
    const metric = Metric.gauge(name, { description, attributes })
    const get = () => ({ value: read() })
    Metric.registerUnsafe(metric, this.#context, { get, update: ignore, modify: ignore })
  }

  /** @param name ends in `_seconds` */
  durations(name: string, description: string, attributes: Labels): Durations {
    const held = new Durations()
    const metric = Metric.histogram(name, { description, attributes, boundaries })
    const get = () => {
      const { buckets, count, max, min, sum } = held
      return { buckets, count, max, min, sum }
    }
    Metric.registerUnsafe(metric, this.#context, { get, update: ignore, modify: ignore })
    return held
  }
}

/** Registers in the context's registry. The series live as long as that registry. */
export const metricsRegistry: Effect.Effect<MetricsRegistry> = Effect.map(
  Effect.context<never>(),
  (context) => new MetricsRegistry(context)
)
