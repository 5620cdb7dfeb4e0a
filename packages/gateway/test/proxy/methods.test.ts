import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import type { Asked } from "../harness/http.ts"
import { arrived, Tapped } from "./odd.ts"
import { anId } from "../rules/Spelling.ts"
import { Tap } from "../harness/Tap.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

const form = "application/x-www-form-urlencoded"

layer(Tapped)("the request line's method is the only method", (it) => {
  const queries = [
    "_method=DELETE",
    "_method=delete_one",
    "_method=",
    "_method",
    "%5Fmethod=PUT",
    "_%6dethod=PUT",
    "_METHOD=PUT",
    "+_method=PUT",
    "limit=1&_method=POST",
    "limit=1;_method=POST",
    "_method=GET&_method=DELETE"
  ]
  const paths = [
    `compute/servers/${anId}`,
    `volume/volumes/${anId}`,
    `image/images/${anId}`,
    `network/routers/${anId}`,
    `dns/zones/${anId}`,
    `load-balancer/lbaas/loadbalancers/${anId}`,
    `key-manager/v1/secrets/${anId}`
  ]
  for (const path of paths) {
    it.effect(`a query that names another method is a 400 for every caller: ${path}`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { call } = yield* TestGateway
        const tap = yield* Tap
        yield* call("operator", "GET", "/v1/whoami", { token: operator })
        yield* tap.forget
        for (const query of queries) {
          for (const token of [...acme.tokens, operator]) {
            for (const method of ["GET", "HEAD"]) {
              const answer = yield* call("operator", method, `/v1/iaas/${path}?${query}`, { token })
              assert.strictEqual(answer.status, 400, `${query}: ${answer.text}`)
              if (method === "GET") assert.strictEqual(jsonOf(answer).code, "query_not_canonical")
            }
          }
        }
        assert.deepStrictEqual(
          (yield* tap.seen).filter((_) => _.url.includes(anId)),
          []
        )
      })
    )
  }

  it.effect("a read-only key removes nothing, even if the platform would", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const [look, operate] = acme.tokens
      const made = yield* call("customer", "POST", "/v1/iaas/image/images", { token: operate, body: { name: "kept" } })
      const path = `/v1/iaas/image/images/${jsonOf(made).id}`
      for (const query of queries) yield* call("customer", "GET", `${path}?${query}`, { token: look })
      assert.strictEqual((yield* call("customer", "GET", path, { token: look })).status, 200)
    })
  )

  const forms: Readonly<Record<string, Asked>> = {
    "a form": { headers: { "content-type": form }, body: "_method=DELETE" },
    "a form with a parameter": { headers: { "content-type": `${form};charset=utf-8` }, body: "_method=DELETE" },
    "a form in capitals": { headers: { "content-type": form.toUpperCase() }, body: "x=1" },
    "a form in parts": { headers: { "content-type": "multipart/form-data; boundary=b" }, body: "--b--" },
    "something of no type": { headers: { "content-type": "" }, body: "_method=DELETE" },
    "a form of unknown length": { headers: { "content-type": form }, body: "_method=DELETE", chunked: true },
    "a form that is said to be JSON as well": {
      headers: { "content-type": [form, "application/json"] },
      body: '{"x":"&_method=DELETE&"}'
    }
  }
  for (const [what, asked] of Object.entries(forms)) {
    it.effect(`a body that is ${what} is a 415, and nothing is sent`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { call } = yield* TestGateway
        const tap = yield* Tap
        yield* call("customer", "GET", "/v1/whoami", { token: acme.tokens[1] })
        yield* tap.forget
        for (const plane of planes) {
          for (const path of paths) {
            for (const token of plane === "operator" ? [acme.tokens[2], operator] : [acme.tokens[2]]) {
              const answer = yield* call(plane, "POST", `/v1/iaas/${path}`, { ...asked, token })
              assert.deepStrictEqual([answer.status, jsonOf(answer).code], [415, "form_body"], path)
            }
          }
        }
        assert.deepStrictEqual(
          (yield* tap.seen).filter((_) => _.url.includes(anId)),
          []
        )
      })
    )
  }

  it.effect("an empty body is not a form, and JSON may contain methods", () =>
    Effect.gen(function* () {
      const empty = yield* arrived("POST", "/recordsets", { headers: { "content-type": form } })
      assert.strictEqual(empty.answer.status, 200)
      const json = yield* arrived("POST", "/recordsets?name=_method", { body: { _method: "DELETE" } })
      assert.strictEqual(json.answer.status, 200)
      assert.strictEqual(json.seen?.headers["content-type"], "application/json")
    })
  )

  const types: ReadonlyArray<readonly [what: string, asked: Asked, type: string | undefined]> = [
    ["of no type is bytes", {}, "application/octet-stream"],
    [
      "with a content_type header in place of the hyphen has none",
      { headers: { content_type: form } },
      "application/octet-stream"
    ],
    [
      "with a content.type header in place of the hyphen has none",
      { headers: { "content.type": form } },
      "application/octet-stream"
    ],
    ["of two types is of the first", { headers: { "content-type": ["text/dns", form] } }, "text/dns"],
    [
      "with a type named by the connection header keeps it",
      { headers: { "content-type": "text/dns", connection: "close, Content-Type" } },
      "text/dns"
    ]
  ]
  for (const [what, asked, type] of types) {
    it.effect(`a body ${what}`, () =>
      Effect.gen(function* () {
        const { answer, seen } = yield* arrived("POST", "/recordsets", { ...asked, body: "_method=DELETE" })
        assert.strictEqual(answer.status, 200)
        const told = seen?.rawHeaders.filter((_, i) => i % 2 === 0 && /^content.type$/i.test(_))
        assert.lengthOf(told ?? [], 1)
        assert.strictEqual(seen?.headers["content-type"], type)
      })
    )
  }
})
