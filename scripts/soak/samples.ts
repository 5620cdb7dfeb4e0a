import { tiers } from "@portico/contract/Tiers"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import type { Evidence } from "./evidence.ts"
import { heapAfterCollection } from "./stage/inspector.ts"
import type { Replica } from "./stage/replica.ts"
import { sellable, type Stage } from "./stage/stage.ts"

const lookAt = (pid: number) =>
  Effect.option(
    Effect.try(() => ({
      rssMib: Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024,
      descriptors: readdirSync(`/proc/${pid}/fd`).length
    }))
  )

/** Looks once a second at what the replicas hold. */
export const sampling = ({ replicas }: Stage, evidence: Evidence) =>
  Effect.forever(
    Effect.gen(function* () {
      for (const replica of replicas) {
        const pid = replica.pid()
        if (pid === undefined) continue
        const seen = yield* lookAt(pid)
        if (seen._tag === "Some")
          evidence.samples.push({ at: evidence.now(), process: replica.process(), ...seen.value })
      }
      yield* Effect.sleep("1 second")
    })
  )

/** What a replica holds once its garbage is collected. */
export const settled = Effect.fnUntraced(function* (replica: Replica, evidence: Evidence) {
  const [pid, inspector] = [replica.pid(), replica.inspector()]
  if (pid === undefined || inspector === undefined) return
  const heap = yield* Effect.option(heapAfterCollection(inspector))
  const seen = yield* lookAt(pid)
  if (heap._tag === "Some" && seen._tag === "Some") {
    evidence.settled.push({ at: evidence.now(), process: replica.process(), heapMib: heap.value, ...seen.value })
  }
})

/**
 * Looks twice a second whether a ceiling is crossed: what is granted to tenants, those among them that are being moved
 * up counted with the higher tier, and each tenant's credentials.
 */
export const watchingCeilings = ({ database: { sql } }: Stage, evidence: Evidence) =>
  Effect.forever(
    Effect.gen(function* () {
      const rows = yield* sql<{ readonly tier: string; readonly pending: string | null; readonly credentials: number }>`
        SELECT tier, pending_tier AS pending, (
          SELECT count(*)::int FROM credentials c
          WHERE c.project_id = t.project_id AND c.state IN ('active', 'minting', 'suspended')
        ) AS credentials
        FROM tenants t`
      const tierOf = (name: string | null) => Object.entries(tiers).find(([tier]) => tier === name)?.[1]
      let cores = 0
      for (const { credentials, pending, tier } of rows) {
        cores += Math.max(tierOf(tier)?.cores ?? 0, tierOf(pending)?.cores ?? 0)
        const most = Math.max(tierOf(tier)?.credentials ?? 0, tierOf(pending)?.credentials ?? 0)
        // A tenant that was moved down keeps what it has; one that never had so many may not come to more.
        if (credentials > Math.max(most, tiers.extension.credentials)) {
          evidence.complaints.push(`a tenant of the tier ${tier} has ${credentials} credentials`)
        }
      }
      evidence.granted.push({ at: evidence.now(), cores, limit: Number(sellable.SELLABLE_CORES) })
    }).pipe(
      // The database may be away.
      Effect.timeout("5 seconds"),
      Effect.catchCause(() => Effect.void),
      Effect.andThen(Effect.sleep("500 millis"))
    )
  )
