import { assert, layer } from "@effect/vitest"
import { consoleConfigPath, consoleRoutes } from "@portico/gateway/requests/consolePaths"
import { discoveryPath } from "@portico/gateway/requests/discoveryPath"
import { referencePaths } from "@portico/gateway/requests/referencePaths"
import { Effect, Layer, Predicate } from "effect"
import { FindMyWay } from "effect/http"
import { Cast, operator } from "../harness/Cast.ts"
import type { Asked } from "../harness/http.ts"
import { jsonOf, type Plane, planes, TestGateway } from "../harness/TestGateway.ts"
import { documents, violations } from "./conforms.ts"
import { successes } from "./successes.ts"

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => Predicate.isObject(value)

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((_, key) => (isJson(_) ? _[key] : undefined), value)

const entries = (value: unknown) => (isJson(value) ? Object.entries(value) : [])

const listed = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** An operation as a reader of the document finds it. */
interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly declared: unknown
}

const operationsOf = (plane: Plane): ReadonlyArray<Operation> =>
  entries(documents[plane].paths).flatMap(([path, item]) =>
    entries(item)
      .filter(([, declared]) => at(declared, "operationId") !== undefined)
      .map(([method, declared]) => ({
        id: String(at(declared, "operationId")),
        method: method.toUpperCase(),
        path,
        declared
      }))
  )

const resolved = (plane: Plane, schema: unknown): unknown => {
  const ref = at(schema, "$ref")
  return typeof ref === "string" ? resolved(plane, at(documents[plane], ...ref.replace("#/", "").split("/"))) : schema
}

/** The path with the values of its example. */
const filled = ({ declared, path }: Operation): string =>
  listed(at(declared, "parameters")).reduce<string>((_, parameter) => {
    const example = at(parameter, "example")
    return at(parameter, "in") === "path"
      ? _.replace(`{${String(at(parameter, "name"))}}`, encodeURIComponent(String(example)).replaceAll("%2F", "/"))
      : _
  }, path)

/** A value that the schema of a field or a parameter does not allow, for each of its bounds. */
const outside = (plane: Plane, given: unknown): ReadonlyArray<unknown> => {
  const schema = resolved(plane, given)
  if (!isJson(schema)) return []
  const { maximum, maxItems, maxLength, minimum, type } = schema
  const most = typeof maxItems === "number" && maxItems <= 100 ? [Array(maxItems + 1).fill("x")] : []
  return [
    ...(Array.isArray(schema["enum"]) ? ["no-such-value"] : []),
    ...(typeof minimum === "number" ? [minimum - 1] : []),
    ...(typeof maximum === "number" ? [maximum + 1] : []),
    ...(type === "integer" ? [0.5] : []),
    // A longer body is refused for its own length.
    ...(typeof maxLength === "number" && maxLength < 60_000 ? ["x".repeat(maxLength + 1)] : []),
    ...(type === "boolean" ? ["perhaps"] : []),
    ...most
  ]
}

interface Refused extends Asked {
  readonly what: string
  readonly query?: string
  /** Where the refusal says that the mistake is. */
  readonly place: ReadonlyArray<string>
}

const bodyOf = ({ declared }: Operation): { readonly schema: unknown; readonly example: unknown } => {
  const media = at(declared, "requestBody", "content", "application/json")
  return { schema: at(media, "schema"), example: at(media, "examples", "recorded", "value") }
}

const wrongBodies = (plane: Plane, operation: Operation): ReadonlyArray<Refused> => {
  const { example, schema } = bodyOf(operation)
  const fields = resolved(plane, schema)
  if (!isJson(example) || !isJson(fields)) return []
  const required = listed(fields["required"]).map(String)
  return [
    { what: "an unknown field", body: { ...example, "no-such-field": 1 }, place: ["body", "no-such-field"] },
    ...required.map((name) => ({
      what: `a body without ${name}`,
      body: Object.fromEntries(Object.entries(example).filter(([_]) => _ !== name)),
      place: ["body", name]
    })),
    ...entries(fields["properties"]).flatMap(([name, field]) =>
      outside(plane, field).map((value) => ({
        what: `${name}: ${JSON.stringify(value).slice(0, 30)}`,
        body: { ...example, [name]: value },
        place: ["body", name]
      }))
    )
  ]
}

const wrongQueries = (plane: Plane, operation: Operation): ReadonlyArray<Refused> => {
  const { example } = bodyOf(operation)
  const body = example === undefined ? {} : { body: example }
  const own = listed(at(operation.declared, "parameters")).filter((_) => at(_, "in") === "query")
  if (own.length === 0) return []
  const needed = own.filter((_) => at(_, "required") === true).map((_) => [String(at(_, "name")), "x"])
  return [
    { what: "an unknown parameter", query: "no-such-parameter=1", place: ["query", "no-such-parameter"] },
    ...own.flatMap((parameter) => {
      const name = String(at(parameter, "name"))
      return outside(plane, at(parameter, "schema"))
        .filter((value) => !Array.isArray(value))
        .map((value) => ({
          what: `?${name}=${String(value).slice(0, 30)}`,
          query: new URLSearchParams(
            [...needed.filter(([_]) => _ !== name), [name, String(value)]].map(([a = "", b = ""]) => [a, b])
          ).toString(),
          place: ["query", name]
        }))
    })
  ].map((_) => ({ ...body, ..._ }))
}

/** Whoever may call the operation. */
const callerOf = Effect.fnUntraced(function* (plane: Plane, { method, path }: Operation) {
  const { acme, customerOwner } = yield* Cast
  if (!(path in documents.customer.paths)) return operator
  const row = successes[`${method} ${path.replaceAll(/\{([a-z_]+)\}/g, ":$1")}`]
  return row?.roles === undefined ? acme.tokens[2] : customerOwner
})

/** Clients of registries send parameters of their own, which the token route ignores. */
const open = ["registry.token"]

/** The routes of each router that the gateway makes: the planes', and tables of templates, whose entries are text. */
const routers = new Map<unknown, Set<string>>()

const watching = Layer.effectDiscard(
  Effect.acquireRelease(
    Effect.sync(() => {
      const prototype: { on: (method: unknown, path: string, handler: unknown) => void } = Object.getPrototypeOf(
        FindMyWay.make<unknown>()
      )
      const { on } = prototype
      prototype.on = function (this: unknown, method, path, handler) {
        if (typeof handler !== "string" && typeof method === "string") {
          const routes = routers.get(this) ?? new Set()
          routers.set(this, routes.add(`${method} ${path}`))
        }
        return on.call(this, method, path, handler)
      }
      return () => void (prototype.on = on)
    }),
    (restore) => Effect.sync(restore)
  )
)

/** Answers outside of the document: the reference, the console and, for operators, metrics. */
const pages = (plane: Plane): ReadonlyArray<string> => [
  ...[...referencePaths, discoveryPath, consoleConfigPath, ...(plane === "operator" ? ["/metrics"] : [])].map(
    (_) => `GET ${_}`
  ),
  ...consoleRoutes.map(({ method, path }) => `${method} ${path}`)
]

const everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer), Layer.provide(watching))

layer(everything, { excludeTestServices: true })("the document and the running planes", (it) => {
  for (const plane of planes) {
    it.effect(`${plane}: every operation is served, and only the named pages besides`, () =>
      Effect.sync(() => {
        const documented = operationsOf(plane).flatMap(({ method, path }) => {
          const route = path.replace("/{path}", path.startsWith("/v1/org/") ? "/{path}" : "/*")
          const spelled = route.replaceAll(/\{([a-z_]+)\}/g, ":$1")
          // A catch-all also takes its own root.
          return spelled.endsWith("/*")
            ? [`${method} ${spelled}`, `${method} ${spelled.slice(0, -2)}`]
            : [`${method} ${spelled}`]
        })
        const own = [...routers.values()].filter(
          (_) => _.has("GET /docs") && _.has("GET /metrics") === (plane === "operator")
        )
        assert.lengthOf(own, 1)
        assert.sameMembers([...(own[0] ?? [])], [...documented, ...pages(plane)])
      })
    )

    for (const operation of operationsOf(plane)) {
      const { declared, id, method, path } = operation
      const proxied = /^(iaas|kubernetes)\./.test(id)

      it.effect(`${plane}: ${id} needs a Bearer token exactly as documented`, () =>
        Effect.gen(function* () {
          const needs = listed(at(declared, "security")).length > 0
          const answer = yield* (yield* TestGateway).call(plane, method, filled(operation))
          if (needs) assert.strictEqual(answer.status, 401, answer.text)
          else assert.notInclude([404, 405], answer.status, answer.text)
          assert.deepStrictEqual(violations(documents[plane], method, path, answer), [])
        })
      )

      if (proxied) continue

      const wrong = open.includes(id) ? [] : [...wrongBodies(plane, operation), ...wrongQueries(plane, operation)]
      if (wrong.length > 0) {
        it.effect(`${plane}: ${id} refuses undocumented input, and names its place`, () =>
          Effect.gen(function* () {
            const { call } = yield* TestGateway
            const token = yield* callerOf(plane, operation)
            const found: Array<string> = []
            for (const { place, query, what, ...asked } of wrong) {
              const target = `${filled(operation)}${query === undefined ? "" : `?${query}`}`
              const answer = yield* call(plane, method, target, { ...asked, token })
              const places = answer.status === 422 ? jsonOf(answer).detail.map((_: { loc: unknown }) => _.loc) : []
              const isThere = places.some((_: unknown) => place.every((part, nth) => listed(_)[nth] === part))
              if (!isThere) found.push(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`)
              found.push(...violations(documents[plane], method, path, answer))
            }
            assert.deepStrictEqual(found, [])
          })
        )
      }

      const { example } = bodyOf(operation)
      if (example !== undefined) {
        it.effect(`${plane}: ${id} takes JSON alone`, () =>
          Effect.gen(function* () {
            const token = yield* callerOf(plane, operation)
            const headers = { "content-type": "text/plain" }
            const asked = { token, headers, body: JSON.stringify(example) }
            const answer = yield* (yield* TestGateway).call(plane, method, filled(operation), asked)
            assert.strictEqual(answer.status, 415, answer.text)
            assert.deepStrictEqual(violations(documents[plane], method, path, answer), [])
          })
        )
      }
    }
  }
})
