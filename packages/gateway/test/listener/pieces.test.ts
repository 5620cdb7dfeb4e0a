import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "node:http"
import { Cast } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { Clustered, ClusterTap } from "../kubernetes/ClusterTap.ts"

/** Sends a body in pieces, as the chunks of its transfer coding, and returns the status and the text of the answer. */
const sent = (url: string, token: string, pieces: ReadonlyArray<Buffer>, type = "application/json") =>
  Effect.promise(
    () =>
      new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}`, "content-type": type, "transfer-encoding": "chunked" }
        const asked = request(url, { method: "POST", headers, agent: false }, (answer) => {
          let text = ""
          answer.on("data", (piece: Buffer) => (text += piece.toString()))
          answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }))
        })
        asked.on("error", reject)
        for (const piece of pieces) asked.write(piece)
        asked.end()
      })
  )

const inPieces = (body: Buffer, ...sizes: ReadonlyArray<number>): ReadonlyArray<Buffer> => {
  const pieces: Array<Buffer> = []
  for (let at = 0; at < body.length;) {
    const size = sizes[pieces.length % sizes.length] ?? 1
    pieces.push(body.subarray(at, at + size))
    at += size
  }
  return pieces
}

layer(Clustered, { excludeTestServices: true })("a body in pieces", (it) => {
  // A longer body in single bytes is cut off where the gateway reads it.
  const bodies = [
    [700, [1]],
    [9_000, [1, 2000, 3]],
    [9_000, [700]],
    [9_000, [1023, 1024, 1025]],
    [9_000, [5, 40_000]]
  ] as const
  for (const [numbers, sizes] of bodies) {
    it.effect(`of ${sizes.join(", ")} bytes arrives unchanged, read by the gateway or forwarded`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { url } = yield* TestGateway
        const tap = yield* ClusterTap
        let got = Buffer.alloc(0)
        yield* tap.script((from, to) => {
          const pieces: Array<Buffer> = []
          from.on("data", (piece: Buffer) => pieces.push(piece))
          from.on("end", () => {
            got = Buffer.concat(pieces)
            to.writeHead(201, { "content-type": "application/json" }).end("{}")
          })
        })
        const below = `${url.customer}/v1/kubernetes/api/v1/namespaces/db-${acme.projectId}`
        const text = Array.from({ length: numbers }, (_, n) => n).join()
        // The gateway reads writes of Services, and passes those of ConfigMaps on.
        for (const [kind, field] of [
          ["services", "annotations"],
          ["configmaps", "labels"]
        ] as const) {
          const body = Buffer.from(JSON.stringify({ metadata: { name: "x", [field]: { text } } }))
          const { status, text: answer } = yield* sent(`${below}/${kind}`, acme.tokens[1], inPieces(body, ...sizes))
          assert.strictEqual(status, 201, answer)
          assert.isTrue(got.equals(body), kind)
        }
        const invitation = Buffer.from(JSON.stringify({ label: "x".repeat(40), tier: 0, kind: "api-key" }))
        const minted = yield* sent(`${url.customer}/v1/credentials`, acme.tokens[1], inPieces(invitation, ...sizes))
        assert.strictEqual(minted.status, 201, minted.text)
        assert.strictEqual(JSON.parse(minted.text).label, "x".repeat(40))
      })
    )
  }
})
