import { settleNova, serverDelay, type Server } from "../nova/state.ts"
import type { World } from "../World.ts"
import type { Reading } from "./state.ts"

/** Seconds between two samples; sample times are multiples of it. */
export const scrape = 15

export interface Series {
  /** Includes `__name__`. */
  readonly labels: Readonly<Record<string, string>>
  /** The sample at a time in seconds since the epoch; undefined where there is none. */
  at(moment: number): number | undefined
}

const gib = 1024 ** 3

/**
 * All series: one for each resource of the world, under the names of the recording rules of
 * `docs/operators/monitoring.md`. Nothing is stored: a value is a function of the series and the time, so
 * history goes back to the beginning.
 */
export const seriesOf = (world: World, now: number): ReadonlyArray<Series> => {
  settleNova(world.nova, now)
  const { nodes, readings, services } = world.monitoring
  const set = Object.values(readings)
  const made: ReadonlyArray<Series> = [
    ...Object.values(world.nova.servers).flatMap(ofServer),
    ...Object.values(nodes).flatMap(({ name, up }) => [
      steady("portico:node_up:bool", { node: name }, up ? 1 : 0),
      ...(up ? [sineWave("portico:node_cpu:percent", name, { node: name }, 1)] : []),
      ...(up ? [sineWave("portico:node_memory:percent", name, { node: name }, 1)] : [])
    ]),
    ...Object.entries(services).map(([service, ratio]) =>
      steady("portico:service_available:ratio", { service }, ratio)
    ),
    steady("ceph_cluster_total_bytes", {}, 100 * 1024 * gib),
    steady("ceph_cluster_total_used_bytes", {}, 3 * gib * sum(Object.values(world.cinder.volumes).map((_) => _.size))),
    steady("up", { job: "prometheus", instance: "127.0.0.1:9090" }, 1)
  ]
  return made.map((_) => bounded(overridden(_, set), now))
}

/** Percent, or bytes per second. */
const perServer: Readonly<Record<string, number>> = {
  "portico:instance_cpu:percent": 1,
  "portico:instance_memory:percent": 1,
  "portico:instance_disk_read:bytes_per_second": 100_000,
  "portico:instance_disk_write:bytes_per_second": 50_000,
  "portico:instance_network_in:bytes_per_second": 20_000,
  "portico:instance_network_out:bytes_per_second": 30_000
}

/** A running server has samples since its start, a stopped one until its stop. */
const ofServer = (server: Server): ReadonlyArray<Series> => {
  if (server.vm_state === "building" || server.vm_state === "error") return []
  const begin = server.created_at + serverDelay
  const end = server.vm_state === "active" ? Infinity : server.updated_at
  const labels = { instance_id: server.id, project_id: server.project_id }
  return Object.entries(perServer).map(([name, scale]) => between(sineWave(name, server.id, labels, scale), begin, end))
}

const steady = (name: string, labels: Series["labels"], value: number): Series => ({
  labels: { __name__: name, ...labels },
  at: () => value
})

/** A sine wave around the series' own level, with a period of one hour. */
const sineWave = (name: string, about: string, labels: Series["labels"], scale: number): Series => {
  const seed = hashOf(`${name} ${about}`)
  const [level, phase] = [15 + (seed % 45), seed % 3600]
  return {
    labels: { __name__: name, ...labels },
    at: (moment) => Number((scale * (level + 10 * Math.sin((2 * Math.PI * (moment + phase)) / 3600))).toFixed(3))
  }
}

const between = (series: Series, from: number, until: number): Series => ({
  ...series,
  at: (moment) => (moment * 1000 >= from && moment * 1000 <= until ? series.at(moment) : undefined)
})

/** Times in the future have no samples. */
const bounded = (series: Series, now: number): Series => between(series, 0, now)

const overridden = (series: Series, readings: ReadonlyArray<Reading>): Series => {
  const mine = readings.filter(
    ({ labels, metric }) =>
      metric === series.labels["__name__"] &&
      Object.entries(labels).every(([label, value]) => series.labels[label] === value)
  )
  if (mine.length === 0) return series
  return {
    ...series,
    at: (moment) => {
      const found = mine.findLast(
        (_) => moment * 1000 >= (_.from ?? -Infinity) && moment * 1000 < (_.until ?? Infinity)
      )
      if (found === undefined) return series.at(moment)
      return found.value === null ? undefined : valueOf(found.value)
    }
  }
}

const valueOf = (value: number | "NaN" | "+Inf"): number =>
  value === "NaN" ? Number.NaN : value === "+Inf" ? Infinity : value

/** FNV-1a. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, _) => total + _, 0)
