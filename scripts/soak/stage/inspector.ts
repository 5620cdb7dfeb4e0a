import { Effect } from "effect"
import { WebSocket } from "ws"

/** What V8's inspector answers of a process that was started with `--inspect`. */
const asked = (url: string, requests: ReadonlyArray<{ readonly method: string; readonly params?: object }>) =>
  Effect.callback<unknown, Error>((resume) => {
    const socket = new WebSocket(url)
    const send = (id: number) => socket.send(JSON.stringify({ id, ...requests[id] }))
    socket.on("open", () => send(0))
    socket.on("error", (error: Error) => resume(Effect.fail(error)))
    socket.on("message", (text) => {
      const { id, result } = JSON.parse(String(text)) as { readonly id?: number; readonly result?: unknown }
      if (id === undefined) return
      if (id + 1 < requests.length) return send(id + 1)
      socket.close()
      resume(Effect.succeed(result))
    })
    return Effect.sync(() => socket.terminate())
  })

/** MiB that the JavaScript heap of a process holds after everything that can be collected was. */
export const heapAfterCollection = (url: string) =>
  asked(url, [
    { method: "HeapProfiler.collectGarbage" },
    { method: "HeapProfiler.collectGarbage" },
    { method: "Runtime.getHeapUsage" }
  ]).pipe(
    Effect.map((result) => (result as { readonly usedSize: number }).usedSize / 2 ** 20),
    Effect.timeout("30 seconds")
  )
