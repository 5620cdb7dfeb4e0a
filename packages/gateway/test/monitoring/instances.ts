import { running } from "@portico/simulator/nova/running"
import type { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"

/** A server that runs in a project since the epoch, by its id. Repeatable. */
export const serverIn = ({ world }: SimulatedCloud["Service"], project_id: string, id: string) =>
  Effect.sync(() => {
    world.nova.servers[id] = running(id, project_id)
    return id
  })
