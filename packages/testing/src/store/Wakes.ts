import { Wakes } from "@portico/store/Wakes"
import { Layer } from "effect"
import { PersistedQueue } from "effect/persistence"

export const layer = Wakes.overQueue.pipe(Layer.provide(PersistedQueue.layerStoreMemory))
