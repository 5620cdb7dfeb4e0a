import { type Context, Effect, Metric } from "effect"

/** What a series is one of several by: few values, and never a path, an id or a name that somebody chose. */
export type Labels = Readonly<Record<string, string>>

/** In seconds; the last one of them is what a request may take at most. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** A number that only grows. It is counted on without ceremony, and read when somebody looks at the metrics. */
export class Count {
  value = 0
}

/** How long something took, as a Prometheus histogram has it. */
export class Durations {
  count = 0
  sum = 0
  min = Number.MAX_VALUE
  max = 0
  readonly #within = new Float64Array(boundaries.length)

  /**
   * @param seconds one of them
   * @param times how many took so long
   */
  add(seconds: number, times = 1): void {
    this.count += times
    this.sum += seconds * times
    if (seconds < this.min) this.min = seconds
    if (seconds > this.max) this.max = seconds
    // Most are short, so that few steps find the place.
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

/** Makes the numbers that a part of the process keeps visible to whoever exports the metrics. */
export class MetricsRegistry {
  readonly #context: Context.Context<never>

  constructor(context: Context.Context<never>) {
    this.#context = context
  }

  /** @param name with its unit: `portico_calls_total` */
  counter(name: string, description: string, attributes: Labels, read: () => number): void {
    const metric = Metric.counter(name, { description, attributes, incremental: true })
    const get = () => ({ count: read(), incremental: true })
    Metric.registerUnsafe(metric, this.#context, { get, update: ignore, modify: ignore })
  }

  /** A counter of its own. */
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

  /** @param name ending in `_seconds` */
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

/** Series in the registry of the context; they are there for as long as that is. */
export const metricsRegistry: Effect.Effect<MetricsRegistry> = Effect.map(
  Effect.context<never>(),
  (context) => new MetricsRegistry(context)
)
