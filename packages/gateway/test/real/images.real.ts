import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { request } from "node:http"
import { platform } from "node:process"
import { type Gateway, startGateway, story, tenantOf } from "../processes/harness.ts"
import { drained, forgetMost, memoryOf, MiB, pour } from "../streams/streaming.ts"
import { jsonOf } from "../harness/TestGateway.ts"
import { Administrator } from "./Administrator.ts"
import { guest, leavesAtTheEnd, made, shown, through, unique } from "./Guests.ts"
import { realCloud } from "./RealGateway.ts"
import { realSettings } from "./told.ts"

const disk = { name: "disk", disk_format: "raw", container_format: "bare" }
const octets = { "content-type": "application/octet-stream" }

layer(realCloud, { excludeTestServices: true })("images on the real systems", (it) => {
  it.effect("one is uploaded at tier 1, downloaded at tier 0, and hides its location", () =>
    Effect.gen(function* () {
      const [read, operate, destroy] = (yield* guest("images")).tokens
      const { id } = yield* made(operate, "/image/images", disk)
      const one = `/image/images/${id}`
      const bytes = Buffer.alloc(3 * MiB + 1, "portico ")
      const up = (token: string) => through(token, "PUT", `${one}/file`, { body: bytes, headers: octets })
      assert.strictEqual((yield* up(read)).status, 403)
      const put = yield* up(operate)
      assert.strictEqual(put.status, 204, put.text)

      const image = yield* shown(read, one)
      assert.deepInclude(image, { status: "active", size: bytes.length, file: `/v1/iaas${one}/file` })
      for (const hidden of ["locations", "direct_url"]) assert.notProperty(image, hidden)
      const down = yield* through(read, "GET", `${one}/file`)
      assert.isTrue(bytes.equals(down.bytes))

      const patch = {
        body: JSON.stringify([{ op: "add", path: "/locations/-", value: { url: "file:///etc/passwd", metadata: {} } }]),
        headers: { "content-type": "application/openstack-images-v2.1-json-patch" }
      }
      const refused = yield* through(destroy, "PATCH", one, patch)
      assert.deepStrictEqual([refused.status, jsonOf(refused).code], [403, "image_locations_refused"])
      assert.strictEqual((yield* through(operate, "DELETE", one)).status, 403)
      assert.strictEqual((yield* through(destroy, "DELETE", one)).status, 204)
    })
  )
})

const size = 1024 * MiB

/** One stream through the gateway; the status, and the SHA-512 of what went by. */
const streamed = (gateway: Gateway, token: string, method: "GET" | "PUT", id: string) =>
  Effect.callback<{ readonly status: number; readonly bytes: number; readonly hash: string }>((resume) => {
    const hash = createHash("sha512")
    const outgoing = request(`${gateway.url}/v1/iaas/image/images/${id}/file`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(method === "PUT" ? octets : {}) }
    })
    outgoing.once("response", (answer) => {
      const { statusCode: status = 0 } = answer
      const done = (bytes: number) => resume(Effect.succeed({ status, bytes, hash: hash.digest("hex") }))
      drained(answer, method === "GET" ? done : () => done(size), (piece) => {
        if (method === "GET") hash.update(piece)
      })
    })
    outgoing.once("error", (error) => resume(Effect.die(error)))
    if (method === "PUT") pour(size, outgoing, (piece) => void hash.update(piece))
    else outgoing.end()
  })

/** How much a process's memory grows at most while something goes on, in bytes. */
const growth = Effect.fnUntraced(function* <A>(pid: number, during: Effect.Effect<A>) {
  forgetMost(pid)
  const before = memoryOf(pid).now
  const result = yield* during
  return { result, grown: memoryOf(pid).most - before }
})

describe.skipIf(platform !== "linux")("1 GiB through a gateway of its own to the real image service", () => {
  story(
    "both ways nothing is lost, and its memory grows by less than 64 MiB",
    () =>
      Effect.gen(function* () {
        const name = unique("large")
        yield* leavesAtTheEnd(name)
        const gateway = yield* startGateway(realSettings())
        const { token } = yield* tenantOf(gateway, name)
        const { body } = yield* gateway.customer<{ readonly id: string }>(token, "POST", "/v1/iaas/image/images", disk)
        const { id = "" } = body

        const up = yield* growth(gateway.pid, streamed(gateway, token, "PUT", id))
        assert.strictEqual(up.result.status, 204)
        assert.isBelow(up.grown / MiB, 64)
        const { read } = yield* Administrator
        const kept = yield* read("image", `/images/${id}`)
        assert.deepStrictEqual([kept.status, kept.size, kept.os_hash_value], ["active", size, up.result.hash])

        const down = yield* growth(gateway.pid, streamed(gateway, token, "GET", id))
        assert.deepStrictEqual(down.result, { status: 200, bytes: size, hash: up.result.hash })
        assert.isBelow(down.grown / MiB, 64)
      }).pipe(Effect.provide(Administrator.layer)),
    120_000
  )
})
