import { verify } from "@portico/client/webhooks"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { Evidence } from "../evidence.ts"
import type { SeededRandom } from "../random.ts"

/** The endpoints of all tenants' webhooks: each at `/<webhook's name>`, with the secret that it was made with. */
export const receiver = Effect.fnUntraced(function* (evidence: Evidence, random: SeededRandom) {
  const secrets = new Map<string, Array<string>>()
  let failing = 0.05

  const answerFor = (): number | undefined => {
    if (!random.chance(failing)) return 204
    return random.pick([500, 503, 302, undefined])
  }

  const server = createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("error", () => {})
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const webhook = (request.url ?? "").slice(1)
      const body = Buffer.concat(parts)
      const eventId = String(request.headers["webhook-id"])
      const answered = answerFor()
      const known = secrets.get(webhook) ?? []
      verify(body, request.headers, ["none", ...known.filter((_) => _ !== "")])
        .then(
          () => "good" as const,
          () => (known.includes("") ? ("unknown" as const) : ("wrong" as const))
        )
        .then(
          (signature) => {
            evidence.received.push({ webhook, eventId, at: evidence.now(), signature, answered: answered ?? 0 })
            // Silence, until the gateway gives up waiting.
            if (answered !== undefined) response.writeHead(answered, answered === 302 ? { location: "/" } : {}).end()
          },
          () => {}
        )
    })
  })
  const url = yield* Effect.acquireRelease(
    Effect.callback<string>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`))
      })
    }),
    () => Effect.sync(() => void server.close().closeAllConnections())
  )
  return {
    url,
    /** From now on such signatures are good too. An empty secret was lost with an answer, and nothing is known of it. */
    trust: (webhook: string, secret: string) => secrets.set(webhook, [...(secrets.get(webhook) ?? []), secret]),
    /** From now on every delivery is taken. */
    heal: () => {
      failing = 0
    }
  }
})

export type Receiver = Effect.Success<ReturnType<typeof receiver>>
