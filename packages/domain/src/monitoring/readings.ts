import type { Api } from "@portico/upstream/prometheus/Prometheus"
import { selector } from "@portico/upstream/prometheus/promql"
import { instanceSeries, nodeSeries } from "@portico/upstream/prometheus/recorded"
import { Effect } from "effect"
import { badGateway } from "../badGateway.ts"
import { byLabel } from "./samples.ts"

const load = [instanceSeries.cpu, instanceSeries.memory]

/** The values of a query over several series, by this label; the label is empty for all series together. */
const read = ({ query }: Api, call: string, aggregation: string, series: ReadonlyArray<string>, label: string) =>
  Effect.mapBoth(query(call, `${aggregation} by (__name__${label === "" ? "" : `, ${label}`}) (${selector(series)})`), {
    onSuccess: (_) => byLabel(_, label),
    onFailure: badGateway
  })

/** Every node with its series, in one query. */
export const readNodes = (api: Api) => read(api, "read nodes", "max", Object.values(nodeSeries), "node")

/** For each project, how many instances are measured and their mean usage, in two queries. */
export const readProjects = (api: Api) =>
  Effect.all(
    {
      means: read(api, "read tenants", "avg", load, "project_id"),
      counts: read(api, "count instances", "count", [instanceSeries.cpu], "project_id")
    },
    { concurrency: "unbounded" }
  )

/** {@link readProjects} for all projects together. */
export const readInstances = (api: Api) =>
  Effect.all(
    {
      means: read(api, "read instances", "avg", load, ""),
      counts: read(api, "count instances", "count", [instanceSeries.cpu], "")
    },
    { concurrency: "unbounded" }
  )
