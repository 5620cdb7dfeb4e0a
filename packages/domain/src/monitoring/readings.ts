import type { Api } from "@portico/upstream/prometheus/Prometheus"
import { selector } from "@portico/upstream/prometheus/promql"
import { instanceSeries, nodeSeries } from "@portico/upstream/prometheus/recorded"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { byLabel } from "./samples.ts"

const load = [instanceSeries.cpu, instanceSeries.memory]

/** Every node with its series, in one query. */
export const readNodes = ({ query }: Api) =>
  Effect.mapError(
    Effect.map(query("read nodes", `max by (__name__, node) (${selector(Object.values(nodeSeries))})`), (_) =>
      byLabel(_, "node")
    ),
    badGateway
  )

/** For each project, how many instances are measured and their mean usage, in two queries. */
export const readProjects = ({ query }: Api) =>
  Effect.mapError(
    Effect.all(
      {
        means: Effect.map(query("read tenants", `avg by (__name__, project_id) (${selector(load)})`), (_) =>
          byLabel(_, "project_id")
        ),
        counts: Effect.map(
          query("count instances", `count by (__name__, project_id) (${selector([instanceSeries.cpu])})`),
          (_) => byLabel(_, "project_id")
        )
      },
      { concurrency: "unbounded" }
    ),
    badGateway
  )

/** {@link readProjects} for all projects together. */
export const readInstances = ({ query }: Api) =>
  Effect.mapError(
    Effect.all(
      {
        means: Effect.map(query("read instances", `avg by (__name__) (${selector(load)})`), (_) => byLabel(_, "")),
        counts: Effect.map(query("count instances", `count by (__name__) (${selector([instanceSeries.cpu])})`), (_) =>
          byLabel(_, "")
        )
      },
      { concurrency: "unbounded" }
    ),
    badGateway
  )
