import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { anybody, codeOf, makeUser, presigned, s3, textsIn } from "./s3.ts"

const page = "https://app.example"

const rule = (...parts: ReadonlyArray<readonly [name: string, text: string]>) =>
  `<CORSRule>${parts.map(([name, text]) => `<${name}>${text}</${name}>`).join("")}</CORSRule>`

const configuration = (...rules: ReadonlyArray<string>) => ({
  body: `<CORSConfiguration>${rules.join("")}</CORSConfiguration>`
})

const origin = ["AllowedOrigin", page] as const
const get = ["AllowedMethod", "GET"] as const

const corsIn = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("access-control-") || name === "vary"))

const withBucket = Effect.gen(function* () {
  yield* makeUser("acme")
  yield* makeUser("globex")
  yield* s3("acme", "PUT /bkt")
  yield* s3("acme", "PUT /bkt/key", { body: "content" })
})

it.effect("rules are stored as the owner wrote them, replaced as a whole, and deleted", () =>
  Effect.gen(function* () {
    yield* withBucket
    assert.strictEqual(codeOf(yield* s3("acme", "GET /bkt?cors")), "404 NoSuchCORSConfiguration")
    const rules = configuration(
      rule(
        ["ID", "one"],
        ["AllowedOrigin", "https://*.example"],
        origin,
        origin,
        ["AllowedMethod", "put"],
        get,
        ["AllowedHeader", "x-b"],
        ["AllowedHeader", "*"],
        ["ExposeHeader", "ETag"],
        ["MaxAgeSeconds", "60"]
      ),
      rule(["AllowedOrigin", "*"])
    )
    assert.strictEqual(codeOf(yield* s3("acme", "PUT /bkt?cors", rules)), "200")
    const shown = yield* s3("acme", "GET /bkt?cors")
    assert.deepStrictEqual(textsIn(shown, "AllowedOrigin"), ["https://*.example", page, "*"])
    assert.deepStrictEqual(textsIn(shown, "AllowedMethod"), ["GET", "PUT"])
    assert.deepStrictEqual(textsIn(shown, "AllowedHeader"), ["*", "x-b"])
    assert.deepStrictEqual(
      ["ID", "ExposeHeader", "MaxAgeSeconds"].map((_) => textsIn(shown, _).join()),
      ["one", "ETag", "60"]
    )
    assert.strictEqual(codeOf(yield* s3("globex", "GET /bkt?cors")), "403 AccessDenied")
    assert.strictEqual(codeOf(yield* s3("globex", "PUT /bkt?cors", rules)), "403 AccessDenied")
    assert.strictEqual(codeOf(yield* s3("globex", "DELETE /bkt?cors")), "403 AccessDenied")
    assert.strictEqual(codeOf(yield* s3("acme", "DELETE /bkt?cors")), "204")
    assert.strictEqual(codeOf(yield* s3("acme", "DELETE /bkt?cors")), "204")
    assert.strictEqual(codeOf(yield* s3("acme", "GET /bkt?cors")), "404 NoSuchCORSConfiguration")
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("rules that the service does not read change nothing", () =>
  Effect.gen(function* () {
    yield* withBucket
    yield* s3("acme", "PUT /bkt?cors", configuration(rule(origin, get)))
    const refused: ReadonlyArray<readonly [body: string, code: string]> = [
      ["", "400 InvalidArgument"],
      ["<x", "400 InvalidArgument"],
      ["<Other/>", "400 InvalidArgument"],
      [configuration().body, "400 InvalidArgument"],
      [configuration(rule(get)).body, "400 InvalidArgument"],
      [configuration(rule(["AllowedOrigin", "https://*.*"], get)).body, "400 InvalidArgument"],
      [configuration(rule(origin, ["AllowedMethod", "PATCH"])).body, "400 InvalidArgument"],
      [configuration(rule(origin, get, ["AllowedHeader", "x-*-*"])).body, "400 InvalidArgument"],
      [configuration(rule(origin, get, ["MaxAgeSeconds", "soon"])).body, "400 InvalidArgument"],
      [configuration(rule(origin, get), rule(get)).body, "400 InvalidArgument"],
      [configuration(...Array.from({ length: 101 }, () => rule(origin, get))).body, "400 InvalidRequest"]
    ]
    for (const [body, code] of refused)
      assert.strictEqual(codeOf(yield* s3("acme", "PUT /bkt?cors", { body })), code, body)
    assert.deepStrictEqual(textsIn(yield* s3("acme", "GET /bkt?cors"), "AllowedOrigin"), [page])
    assert.strictEqual(
      codeOf(yield* s3("acme", "PUT /none?cors", configuration(rule(origin, get)))),
      "404 NoSuchBucket"
    )
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("a preflight is answered by the first rule of its origin, and 403 outside of it", () =>
  Effect.gen(function* () {
    yield* withBucket
    const asked = (headers: Readonly<Record<string, string>>, target = "/rgw/tenant%3Abkt/key") =>
      Effect.map(anybody("OPTIONS", target, { headers }), (_) => ({ code: codeOf(_), headers: corsIn(_.headers) }))
    const ask = (origin: string, method: string, names?: string) =>
      asked({
        origin,
        "access-control-request-method": method,
        ...(names === undefined ? {} : { "access-control-request-headers": names })
      })
    const denied = { code: "403 AccessDenied", headers: {} }
    assert.deepStrictEqual(yield* ask(page, "GET"), denied)
    yield* s3(
      "acme",
      "PUT /bkt?cors",
      configuration(
        rule(origin, get, ["AllowedMethod", "PUT"], ["AllowedHeader", "Content-*"], ["ExposeHeader", "ETag"]),
        rule(origin, ["AllowedMethod", "DELETE"]),
        rule(["AllowedOrigin", "https://*.example:8443"], get, ["AllowedHeader", "*"], ["MaxAgeSeconds", "60"])
      )
    )
    assert.deepStrictEqual(yield* ask(page, "PUT", "content-type, content-md5"), {
      code: "200",
      headers: {
        "access-control-allow-origin": page,
        vary: "Origin",
        "access-control-allow-methods": "PUT",
        "access-control-allow-headers": "content-type,content-md5",
        "access-control-expose-headers": "ETag"
      }
    })
    assert.deepStrictEqual((yield* ask("https://a.example:8443", "GET", "x-any")).headers, {
      "access-control-allow-origin": "https://a.example:8443",
      vary: "Origin",
      "access-control-allow-methods": "GET",
      "access-control-allow-headers": "x-any",
      "access-control-max-age": "60"
    })
    for (const [from, method, names] of [
      ["http://app.example", "GET"],
      ["https://app.example.evil", "GET"],
      [page, "POST"],
      [page, "DELETE"],
      [page, "PUT", "x-other"],
      [page, "PUT", "content-type,x-other"]
    ] as const) {
      assert.deepStrictEqual(yield* ask(from, method, names), denied, `${from} ${method} ${names}`)
    }
    assert.strictEqual((yield* asked({ origin: page })).code, "400 InvalidArgument")
    assert.strictEqual((yield* asked({ "access-control-request-method": "GET" })).code, "400 InvalidArgument")
    // Without a key nothing says which RGW tenant is meant.
    const preflight = { origin: page, "access-control-request-method": "GET" }
    assert.strictEqual((yield* asked(preflight, "/rgw/bkt/key")).code, "404 NoSuchBucket")
    const address = yield* presigned("acme", "GET /bkt/key", 60)
    assert.strictEqual((yield* asked(preflight, address)).code, "200")
    assert.strictEqual(
      (yield* asked({ ...preflight, "access-control-request-method": "POST" }, address)).code,
      "403 AccessDenied"
    )
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)

it.effect("an answer has the headers only for a rule's origin and method, with any signature", () =>
  Effect.gen(function* () {
    yield* withBucket
    yield* s3(
      "acme",
      "PUT /bkt?cors",
      configuration(rule(origin, get), rule(["AllowedOrigin", "*"], ["AllowedMethod", "HEAD"]))
    )
    const address = yield* presigned("acme", "GET /bkt/key", 60)
    const from = (origin: string) => ({ headers: { origin } })
    const granted = { "access-control-allow-origin": page, vary: "Origin", "access-control-allow-methods": "GET" }
    const read = yield* anybody("GET", address, from(page))
    assert.deepStrictEqual([read.status, corsIn(read.headers)], [200, granted])
    assert.deepStrictEqual(corsIn((yield* s3("acme", "GET /bkt/key", from(page))).headers), granted)
    // A refusal by the bucket has them, one of the signature does not.
    const absent = yield* s3("acme", "GET /bkt/none", from(page))
    assert.deepStrictEqual([codeOf(absent), corsIn(absent.headers)], ["404 NoSuchKey", granted])
    const forged = yield* anybody("GET", address.replace("Expires=60", "Expires=61"), from(page))
    assert.deepStrictEqual([codeOf(forged), corsIn(forged.headers)], ["403 SignatureDoesNotMatch", {}])
    const others: ReadonlyArray<
      readonly [answer: { readonly headers: Readonly<Record<string, string>> }, why: string]
    > = [
      [yield* anybody("GET", address), "without an origin"],
      [yield* anybody("GET", address, from("https://other.example")), "the method of another rule"],
      [yield* s3("acme", "PUT /bkt/key", { ...from(page), body: "new" }), "a method of no rule"]
    ]
    for (const [answer, why] of others) assert.deepStrictEqual(corsIn(answer.headers), {}, why)
    const head = yield* presigned("acme", "HEAD /bkt/key", 60)
    assert.deepStrictEqual(corsIn((yield* anybody("HEAD", head, from("https://other.example"))).headers), {
      "access-control-allow-origin": "*",
      "access-control-allow-methods": "HEAD"
    })
  }).pipe(Effect.provide(SimulatedCloud.layerMemory))
)
