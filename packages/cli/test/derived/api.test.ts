import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createServer } from "node:http"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { commandLine } from "../harness/commandLine.ts"

const api = Effect.fnUntraced(function* (args: ReadonlyArray<string>, stdin = "") {
  const { url } = yield* TestGateway
  const { acme } = yield* Cast
  const env = { PORTICO_URL: url.customer, PORTICO_TOKEN: acme.tokens[2] }
  return yield* commandLine(["api", ...args], { env, stdin })
})

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)), { excludeTestServices: true })("api", (it) => {
  it.effect("prints the body as it is, of a GET when no method is named", () =>
    Effect.gen(function* () {
      const { exit, stdout } = yield* api(["/v1/whoami"])
      assert.strictEqual(exit, 0)
      assert.deepInclude(JSON.parse(stdout), { tier: 2 })
      const document = yield* api(["GET", "/openapi.json"])
      assert.deepInclude(JSON.parse(document.stdout), { openapi: "3.1.0" })
    })
  )

  it.effect("makes a query of the fields of a GET, and a body for other methods", () =>
    Effect.gen(function* () {
      const made = yield* api(["POST", "/v1/object-storage/buckets", "-f", "name=acme-api"])
      assert.strictEqual(made.exit, 0, made.stderr)
      const { stdout } = yield* api(["GET", "/v1/credentials", "-f", "limit=1"])
      assert.lengthOf(JSON.parse(stdout).credentials, 1)
      const both = yield* api(["POST", "/v1/credentials", "-f", "a=b", "--body", "{}"])
      assert.strictEqual(both.exit, 2)
    })
  )

  it.effect("sends a body from standard input, with the given headers", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ kind: "api-key", tier: 0, label: "by api" })
      const made = yield* api(["/v1/credentials", "--body", "-", "-H", "idempotency-key: k-api"], body)
      const again = yield* api(["/v1/credentials", "--body", "-", "-H", "idempotency-key: k-api"], body)
      assert.strictEqual(JSON.parse(again.stdout).credential_id, JSON.parse(made.stdout).credential_id)
      const typed = yield* api(["/v1/credentials", "--body", "x", "-H", "content-type: text/plain"])
      assert.strictEqual(typed.exit, 1)
      assert.include(typed.stderr, "415")
    })
  )

  it.effect("does not follow a redirect", () =>
    Effect.gen(function* () {
      const asked: Array<string | undefined> = []
      const server = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((request, response) => {
            asked.push(request.headers.host)
            const { port = 0 } = Object(server.address())
            response.writeHead(307, { location: `http://localhost:${port}/v1/servers` }).end()
          })
          server.listen(0, () => resume(Effect.succeed(server)))
        }),
        (_) => Effect.sync(() => _.close())
      )
      const { port = 0 } = Object(server.address())
      const env = { PORTICO_URL: `http://127.0.0.1:${port}`, PORTICO_TOKEN: "a-token" }
      const args = ["api", "POST", "/v1/iaas/compute/servers", "--body", '{"adminPass":"x"}', "--include"]
      const { exit, stderr, stdout } = yield* commandLine(args, { env })
      assert.deepStrictEqual(asked, [`127.0.0.1:${port}`])
      assert.notStrictEqual(exit, 0)
      assert.include(stdout, `location: http://localhost:${port}/v1/servers`)
      assert.include(stderr, "307")
    })
  )

  it.effect("shows status and headers, and exits with the code of the status", () =>
    Effect.gen(function* () {
      const { exit, stderr, stdout } = yield* api(["GET", "/v1/nothing", "--include"])
      assert.strictEqual(exit, 4)
      assert.match(stdout, /^HTTP 404 Not Found\n/)
      assert.match(stdout, /\nx-request-id: \w{32}\n/)
      assert.include(stdout, '"not_found"')
      assert.include(stderr, "GET /v1/nothing: 404 Not Found")
      const strange = yield* api(["GET", "/v1/whoami", "-H", "authorization: Bearer none"])
      assert.strictEqual(strange.exit, 3)
    })
  )

  it.effect("refuses a malformed call without sending it", () =>
    Effect.gen(function* () {
      for (const args of [
        ["v1/whoami"],
        ["GET", "/v1/../whoami"],
        ["FETCH", "/v1/whoami"],
        ["/v1/a", "-H", "x"],
        ["/v1/a", "-f", "x"]
      ]) {
        const { exit, stdout } = yield* api(args)
        assert.deepStrictEqual([exit, stdout], [2, ""], args.join(" "))
      }
    })
  )
})
