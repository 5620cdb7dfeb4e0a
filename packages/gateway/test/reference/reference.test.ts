import { assert, layer } from "@effect/vitest"
import { referencePaths } from "@portico/gateway/requests/referencePaths"
import { Effect } from "effect"
import { runInNewContext } from "node:vm"
import { type Plane, planes, TestGateway } from "../harness/TestGateway.ts"

/** All that a browser loads for the page, compressed. Browsers take Brotli over TLS and on the own machine. */
const budgets = { br: 300_000, gzip: 375_000 }

const read = (plane: Plane, path: string, encoding?: string) =>
  Effect.flatMap(TestGateway, ({ call }) =>
    call(plane, "GET", path, encoding === undefined ? {} : { headers: { "accept-encoding": encoding } })
  )

/** Addresses that the script of the explorer mentions and never calls: examples and the homes of its libraries. */
const mentioned = ["http://localhost", "https://example.com", "https://github.com", "https://marked.js.org"]

const addressesIn = (text: string) => [...new Set(text.match(/https?:\/\/[a-zA-Z0-9.-]+/g))]

/** What the theme makes of the address of a page. The explorer's script runs after it. */
const addressAfter = (script: string, href: string) => {
  const shown = { href }
  const explorer = { setAttribute: () => undefined }
  const added: Record<string, () => void> = {}
  runInNewContext(script, {
    URL,
    URLSearchParams,
    location: shown,
    history: { replaceState: (_: unknown, __: string, to: string) => (shown.href = new URL(to, shown.href).href) },
    document: { querySelector: () => explorer },
    matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
    addEventListener: (name: string, listener: () => void) => (added[name] = listener)
  })
  return {
    first: shown.href,
    later: (to: string) => {
      shown.href = to
      added["hashchange"]?.()
      return shown.href
    }
  }
}

layer(TestGateway.layer, { excludeTestServices: true })("the reference", (it) => {
  for (const plane of planes) {
    for (const [encoding, budget] of Object.entries(budgets)) {
      it.effect(`${plane}: loads in less than ${budget} bytes of ${encoding}`, () =>
        Effect.gen(function* () {
          const all = yield* Effect.forEach(referencePaths, (path) => read(plane, path, encoding))
          for (const { headers, status } of all)
            assert.deepStrictEqual([status, headers["content-encoding"]], [200, encoding])
          assert.isBelow(
            all.reduce((sum, { bytes }) => sum + bytes.length, 0),
            budget
          )
        })
      )
    }

    it.effect(`${plane}: a link to it cannot sign a visitor in as its author`, () =>
      Effect.gen(function* () {
        // The explorer takes a token from the query or the fragment of its address, for any way to sign in.
        const { text } = yield* read(plane, "/docs/theme.js")
        const page = "https://api.cloud.example/portico/docs"
        const given = "state=eyJhcGlLZXlJZCI6ImJlYXJlciJ9&access_token=theirs&token_type=Bearer"
        for (const added of [`?${given}`, `#${given}`, `?${given}#${given}`, `#${given.replace("state", "%73tate")}`]) {
          assert.strictEqual(addressAfter(text, page + added).first, page, added)
        }
        const route = `${page}#get-/v1/whoami`
        assert.strictEqual(addressAfter(text, route).first, route)
        assert.strictEqual(addressAfter(text, page).later(`${page}#${given}`), page)
      })
    )

    it.effect(`${plane}: the page loads only what the gateway serves beside it`, () =>
      Effect.gen(function* () {
        const { text } = yield* read(plane, "/docs")
        const loaded = [...text.matchAll(/(?:src|spec-url)="([^"]+)"/g)].map(([, path]) => `/${path}`)
        assert.sameMembers([...loaded, "/docs"], [...referencePaths])
        for (const path of ["/docs", "/docs/theme.js"]) {
          assert.deepStrictEqual(addressesIn((yield* read(plane, path)).text), [], path)
        }
        const script = yield* read(plane, "/docs/explorer.js")
        assert.sameMembers(addressesIn(script.text), mentioned)
      })
    )

    it.effect(`${plane}: the page may load from and call its own gateway alone, and cannot be framed`, () =>
      Effect.gen(function* () {
        for (const path of ["/docs", "/docs/theme.js", "/docs/explorer.js"]) {
          const { headers } = yield* read(plane, path)
          const policy = headers["content-security-policy"] ?? ""
          const rules = Object.fromEntries(policy.split("; ").map((_) => [_.split(" ")[0], _.split(" ").slice(1)]))
          assert.deepStrictEqual(rules["default-src"], ["'none'"])
          assert.deepStrictEqual([rules["script-src"], rules["connect-src"]], [["'self'"], ["'self'"]])
          assert.deepStrictEqual(rules["frame-ancestors"], ["'none'"])
          assert.strictEqual(headers["x-content-type-options"], "nosniff")
        }
      })
    )

    it.effect(`${plane}: the content types are those that a browser accepts`, () =>
      Effect.gen(function* () {
        const types = yield* Effect.forEach(referencePaths, (path) =>
          Effect.map(read(plane, path), ({ headers }) => headers["content-type"]?.split(";")[0])
        )
        assert.deepStrictEqual(types, ["application/json", "text/html", "text/javascript", "text/javascript"])
      })
    )

    it.effect(`${plane}: the calls go to the page's own gateway, with a Bearer token`, () =>
      Effect.gen(function* () {
        const document = JSON.parse((yield* read(plane, "/openapi.json")).text)
        assert.deepStrictEqual(document.servers, [{ url: "/" }])
        // The public address of the document may be another one than the browser's.
        assert.include((yield* read(plane, "/docs/theme.js")).text, `setAttribute("server-url"`)
        assert.deepInclude(document.components.securitySchemes.bearer, { type: "http", scheme: "bearer" })
      })
    )
  }

  it.effect("the customers' page contains nothing of the operators'", () =>
    Effect.gen(function* () {
      for (const path of referencePaths) {
        const { text } = yield* read("customer", path)
        for (const word of ["/v1/tenants", "/v1/journal", "/v1/signups", "/v1/capacity", "/v1/monitoring"]) {
          assert.notInclude(text, word, path)
        }
      }
    })
  )
})
