import { NodeFileSystem } from "@effect/platform-node"
import { Effect, FileSystem, Layer } from "effect"
import * as Persistence from "./Persistence.ts"
import { seed } from "./Seed.ts"
import { Server } from "./Server.ts"
import { SimulatedCloud } from "./SimulatedCloud.ts"

export interface Options {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Where the object gateway also listens by itself, see {@link Server}; 0 takes a free one. */
  readonly s3Port?: number | undefined
  /** The file that keeps the state; without it the state is lost at the end of the process. */
  readonly state?: string | undefined
  /** The file that fills a new cloud. */
  readonly seed?: string | undefined
}

/** The simulated cloud as a server. A cloud that goes on where it was is not filled a second time. */
export const layer = ({ host, port, s3Port, seed: seeds, state }: Options) => {
  const kept = state === undefined ? SimulatedCloud.layerMemory : Persistence.layer(state)
  const cloud = Layer.unwrap(
    Effect.gen(function* () {
      const goesOn = state !== undefined && (yield* (yield* FileSystem.FileSystem).exists(state))
      const filled = goesOn || seeds === undefined ? Layer.empty : Layer.effectDiscard(seed(seeds))
      return Layer.provideMerge(filled, kept)
    })
  )
  return Server.layer({ host, port, s3Port }).pipe(Layer.provide(cloud), Layer.provide(NodeFileSystem.layer))
}
