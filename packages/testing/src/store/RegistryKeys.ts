import { RegistryKeys } from "@portico/store/RegistryKeys"
import { DateTime, Effect, Layer } from "effect"
import { Memory } from "./Memory.ts"

export const layer = Layer.effect(
  RegistryKeys,
  Effect.map(Memory, ({ registryKeys: keys }) => {
    const ordered = () =>
      [...keys.values()].toSorted(
        (a, b) =>
          DateTime.toEpochMillis(a.signs_from) - DateTime.toEpochMillis(b.signs_from) || (a.kid < b.kid ? -1 : 1)
      )
    return RegistryKeys.of({
      list: Effect.sync(ordered),
      add: (key, last) =>
        Effect.map(DateTime.now, (created_at) => {
          if (ordered().at(-1)?.kid !== last) return false
          keys.set(key.kid, { ...key, created_at })
          return true
        }),
      reseal: (kid, sealed) =>
        Effect.sync(() => {
          const held = keys.get(kid)
          if (held !== undefined) keys.set(kid, { ...held, sealed })
        }),
      remove: (kids) =>
        Effect.sync(() => {
          for (const kid of kids) keys.delete(kid)
        })
    })
  })
)
