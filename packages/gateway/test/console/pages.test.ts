import { assert, describe, it, layer } from "@effect/vitest"
import { auditTopic } from "@portico/contract/Events"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Layer } from "effect"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"
import { build, folder, script, startPage } from "./fixture.ts"

const served = (directory: string) =>
  TestGateway.layerOf(Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), CONSOLE_DIR: directory }))).pipe(
    Layer.provideMerge(TestGateway.cloud)
  )

const built = folder()
for (const plane of planes) build(built, plane)

const asset = "/console/assets/main-1a2b.js"

layer(served(built), { excludeTestServices: true })("the console's files", (it) => {
  for (const plane of planes) {
    it.effect(`${plane}: has its own start page, for every page of the console`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        for (const path of [
          "/console/",
          "/console/index.html",
          "/console/buckets/a%2Fb?prefix=x",
          "/console/signed-in",
          "/console/.vite/manifest.json"
        ]) {
          const answer = yield* call(plane, "GET", path)
          assert.deepStrictEqual([answer.status, answer.text], [200, startPage(plane)], path)
          assert.strictEqual(answer.headers["content-type"], "text/html; charset=utf-8")
          assert.strictEqual(answer.headers["cache-control"], "no-cache")
        }
      })
    )

    it.effect(`${plane}: every answer has the security headers of the console`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const { origin } = new URL((yield* Server).url)
        for (const path of ["/console", "/console/", asset, "/console/assets/none.js", "/console/config.json"]) {
          const { headers } = yield* call(plane, "GET", path)
          assert.deepInclude(headers, {
            "content-security-policy":
              "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
              `connect-src 'self' ${origin}; manifest-src 'self'; base-uri 'none'; form-action 'none'; ` +
              "frame-ancestors 'none'",
            "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "referrer-policy": "no-referrer",
            "x-content-type-options": "nosniff"
          })
        }
      })
    )
  }

  it.effect("an asset is cached forever, in the browser's encoding", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const decoders = { br: brotliDecompressSync, gzip: gunzipSync } as const
      for (const encoding of ["br", "gzip"] as const) {
        const answer = yield* call("customer", "GET", asset, { headers: { "accept-encoding": encoding } })
        assert.strictEqual(answer.headers["content-encoding"], encoding)
        assert.strictEqual(decoders[encoding](answer.bytes).toString(), script)
        assert.deepInclude(answer.headers, {
          "cache-control": "public, max-age=31536000, immutable",
          "content-type": "text/javascript; charset=utf-8",
          vary: "Accept-Encoding"
        })
      }
      const plain = yield* call("customer", "GET", asset)
      assert.deepStrictEqual([plain.text, plain.headers["content-encoding"]], [script, undefined])
      const without = yield* call("customer", "GET", "/console/assets/plain-3c4d.css", {
        headers: { "accept-encoding": "br" }
      })
      assert.deepStrictEqual([without.text, without.headers["content-encoding"]], ["body{}", undefined])
    })
  )

  it.effect("a cached start page is a 304; HEAD has the headers of GET", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const first = yield* call("customer", "GET", "/console/")
      const headers = { "if-none-match": String(first.headers["etag"]) }
      const again = yield* call("customer", "GET", "/console/", { headers })
      assert.deepStrictEqual([again.status, again.text], [304, ""])
      const changed = yield* call("customer", "GET", "/console/", { headers: { "if-none-match": '"other"' } })
      assert.strictEqual(changed.status, 200)
      const head = yield* call("customer", "HEAD", "/console/")
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      for (const name of ["etag", "content-type", "content-length", "cache-control", "vary"]) {
        assert.strictEqual(head.headers[name], first.headers[name], name)
      }
    })
  )

  it.effect("only reads; the address without the slash leads to the one with it", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const moved = yield* call("customer", "GET", "/console")
      assert.deepStrictEqual([moved.status, moved.headers["location"]], [308, "/console/"])
      for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
        const answer = yield* call("customer", method, "/console/", { body: {} })
        assert.deepStrictEqual([answer.status, answer.headers["allow"]], [405, "GET, HEAD, OPTIONS"], method)
      }
      const options = yield* call("customer", "OPTIONS", "/console/session")
      assert.deepStrictEqual([options.status, options.headers["allow"]], [204, "DELETE, GET, HEAD, OPTIONS, POST"])
    })
  )

  it.effect("a path that encodes a plain character is refused, as everywhere", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      for (const path of ["%2e%2e/secret.txt", "%2E%2E%2Fsecret.txt", "%61ssets/none.js"]) {
        const answer = yield* call("customer", "GET", `/console/${path}`)
        assert.deepStrictEqual([answer.status, jsonOf(answer).code], [400, "path_not_canonical"], path)
      }
    })
  )

  for (const path of [
    "/console/../secret.txt",
    "/console/..%2fsecret.txt",
    "/console/..%5csecret.txt",
    "/console/assets/../index.html",
    "/console/assets/..%2f..%2f..%2fsecret.txt",
    "/console/assets/none.js",
    "/console/assets/main-1a2b.js.br",
    "/console/assets/",
    "/console/index.html%00.js",
    "/console/%ff",
    "/consoles",
    "/console%2f"
  ]) {
    it.effect(`${path} is 404`, () =>
      Effect.gen(function* () {
        const { call } = yield* TestGateway
        const answer = yield* call("customer", "GET", path)
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [404, { detail: "Not Found", code: "not_found" }])
      })
    )
  }

  it.effect("is read without a record, and counted under one name", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      yield* call("customer", "GET", "/console/projects/one")
      yield* call("customer", "POST", "/console/session/refresh", { headers: { origin: "https://elsewhere.example" } })
      const rows = Object.values(yield* Memory).flatMap((_) => [..._.values()])
      assert.isFalse(rows.some((_) => "topic" in _ && _.topic === auditTopic))
      const { text } = yield* call("operator", "GET", "/metrics")
      assert.match(text, /portico_http_requests_total\{[^}]*route="\/console\/\*"/)
      assert.match(text, /route="\/console\/session\/refresh"/)
      assert.notInclude(text, "projects/one")
    })
  )
})

describe("a console without a build", () => {
  const empty = folder()
  it.effect("is 404; a build that appears is served, and one that changes", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      assert.strictEqual((yield* call("customer", "GET", "/console/")).status, 404)
      assert.strictEqual((yield* call("customer", "GET", asset)).status, 404)
      build(empty, "customer")
      assert.strictEqual((yield* call("customer", "GET", asset)).text, script)
      build(empty, "customer", "<!doctype html><title>a newer one</title>")
      assert.include((yield* call("customer", "GET", "/console/")).text, "a newer one")
      assert.strictEqual((yield* call("operator", "GET", "/console/")).status, 404)
    }).pipe(Effect.provide(served(empty)))
  )
})
