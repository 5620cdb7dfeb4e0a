import { launch } from "@portico/gateway/launch"
import { Console, Effect, Layer } from "effect"

// A program that has started, and whose release waits for something that never comes.
launch(
  Layer.effectDiscard(
    Effect.andThen(
      Effect.addFinalizer(() => Effect.never),
      Console.log("{}")
    )
  )
)
