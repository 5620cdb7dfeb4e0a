import { Effect } from "effect"
import { type RawClient, rawClient } from "../harness/RawClient.ts"
import { type Plane, TestGateway } from "../harness/TestGateway.ts"

/** Everything that was answered on a connection of its own; it ends there. */
export const exchanged = (plane: Plane, text: string) =>
  Effect.gen(function* () {
    const client = yield* rawClient((yield* TestGateway).url[plane])
    yield* client.send(text)
    yield* closed(client)
    return client.text()
  })

export const closed = ({ socket }: RawClient) =>
  Effect.callback<void>((resume) => {
    if (socket.destroyed) return resume(Effect.void)
    socket.once("close", () => resume(Effect.void))
  })
