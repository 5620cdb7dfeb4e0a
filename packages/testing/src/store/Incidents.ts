import { Incidents, maxNotices } from "@portico/store/Incidents"
import { Clock, DateTime, Effect, Layer } from "effect"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  Incidents,
  Effect.map(Memory, ({ incidents }) =>
    Incidents.of({
      insert: (incident) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const entry = { ...incident, created_at: DateTime.makeUnsafe(now) }
          incidents.set(entry.incident_id, entry)
          return entry
        }),
      list: (now) =>
        Effect.sync(() =>
          [...incidents.values()]
            .filter((_) => _.ends_at === null || DateTime.isGreaterThan(_.ends_at, now))
            .toSorted(
              (a, b) =>
                DateTime.toEpochMillis(b.starts_at) - DateTime.toEpochMillis(a.starts_at) ||
                (a.incident_id < b.incident_id ? -1 : 1)
            )
            .slice(0, maxNotices)
        ),
      remove: (incidentId) =>
        Effect.sync(() => {
          const found = incidents.get(incidentId)
          incidents.delete(incidentId)
          return found
        })
    })
  )
)
