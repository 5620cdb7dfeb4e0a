import { assert, describe, it, layer } from "@effect/vitest"
import { ByteBudget } from "@portico/domain/limits/ByteBudget"
import { Effect } from "effect"
import { type ClientRequest, request } from "node:http"
import { Cast } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { cluster, Clustered } from "../kubernetes/ClusterTap.ts"

describe("the bytes of held bodies", () => {
  it("are limited for each tenant, and in total", () => {
    const held = new ByteBudget({ ofTenant: 10, inAll: 15 * (8 / 7) })
    assert.deepStrictEqual([held.take("acme", 6), held.take("acme", 5), held.take("acme", 4)], [true, false, true])
    assert.deepStrictEqual([held.take("globex", 6), held.take("globex", 5)], [false, true])
    held.release("acme", 6)
    assert.deepStrictEqual([held.take("acme", 7), held.take("globex", 5), held.take("acme", 1)], [false, true, true])
    held.release("acme", 5)
    held.release("globex", 10)
    assert.deepStrictEqual([held.take("initech", 10), held.take("acme", 5), held.take("acme", 1)], [true, true, false])
  })

  it("leave space for other tenants when a few hold all that they may", () => {
    const held = new ByteBudget({ ofTenant: 320, inAll: 800 })
    assert.deepStrictEqual(
      [held.take("acme", 320), held.take("globex", 320), held.take("initech", 80)],
      [true, true, false]
    )
    assert.isTrue(held.take("initech", 60))
    assert.deepStrictEqual([held.take("umbrella", 10), held.take("umbrella", 1)], [true, false])
  })
})

const size = 3 * 1024 * 1024

/** A body that never ends; the code of the answer to it, if there is one. */
const unfinished = (url: string, token: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "content-length": size }
      const sent = request(url, { method: "POST", headers, agent: false })
      const answered = new Promise<string>((resolve) => {
        sent.on("response", (answer) => {
          let text = ""
          answer.on("data", (piece: Buffer) => (text += piece.toString()))
          answer.on("end", () => resolve(String(JSON.parse(text).details.causes[0].reason)))
        })
        sent.on("error", () => {})
      })
      sent.write(" ".repeat(size - 10))
      return { sent, answered }
    }),
    ({ sent }) => closed(sent)
  )

const closed = (sent: ClientRequest) =>
  Effect.callback<void>((resume) => {
    if (sent.closed) return resume(Effect.void)
    sent.once("close", () => resume(Effect.void)).destroy()
    return undefined
  })

layer(Clustered, { excludeTestServices: true })("one key's unfinished bodies", (it) => {
  it.effect("use no more memory than their tenant's limit, and leave other tenants theirs", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { url } = yield* TestGateway
      const path = (projectId: string) => `/api/v1/namespaces/db-${projectId}/services`
      const service = (name: string) => ({ metadata: { name }, spec: { ports: [{ port: 80 }] } })
      const made = (tenant: typeof acme, name: string) =>
        cluster("POST", path(tenant.projectId), { body: service(name), token: tenant.tokens[1] })

      yield* Effect.scoped(
        Effect.gen(function* () {
          const address = `${url.customer}/v1/kubernetes${path(acme.projectId)}`
          const bodies = yield* Effect.replicateEffect(unfinished(address, acme.tokens[1]), 11)
          assert.strictEqual(yield* Effect.promise(() => Promise.race(bodies.map((_) => _.answered))), "overloaded")
          assert.strictEqual((yield* made(globex, "other")).status, 201)
        })
      )
      assert.strictEqual((yield* Effect.repeat(made(acme, "after"), { until: (_) => _.status !== 503 })).status, 201)
    })
  )
})
