import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast, operator, tenant } from "../harness/Cast.ts"
import { ClusterTap, failed } from "../kubernetes/ClusterTap.ts"
import { endlessCluster, kinds, longAudit, type Open, withNamespace } from "./openStreams.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { settle, succeedInTime } from "@portico/testing/clock"

const ofOne = 3
// The last one is for those with fewer than two.
const inAll = 12

const Stage = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(
      Effect.gen(function* () {
        return {
          ...(yield* ClusterTap.settings),
          KUBERNETES_STREAMS_PER_TENANT: String(ofOne),
          KUBERNETES_STREAMS_TOTAL: String(inAll),
          EVENT_STREAMS_PER_TENANT: String(ofOne),
          EVENT_STREAMS_TOTAL: String(inAll),
          AUDIT_EXPORTS_PER_TENANT: String(ofOne),
          AUDIT_EXPORTS_TOTAL: String(inAll)
        }
      })
    )
  ),
  Layer.provideMerge(ClusterTap.layer),
  Layer.provideMerge(TestGateway.cloud)
)

const what = "watches, followed logs and upgraded connections"
const clustered = (code: string, detail: string) => failed(429, "TooManyRequests", code, detail)

/** What shares a ceiling, and what is said at it. */
const ceilings = {
  cluster: {
    kinds: ["a watch", "a followed log", "exec", "attach", "portforward", "proxy", "proxy, upgraded"],
    gauge: "portico_kubernetes_streams",
    exhausted: clustered(
      "cluster_streams_exhausted",
      `The tenant has ${ofOne} ${what} open with this replica already; end one first`
    ),
    full: clustered("cluster_streams_full", `This replica holds ${inAll} ${what}, as many as it can; try again later`),
    // As the API server itself says with every 429.
    retryAfter: "1"
  },
  events: {
    kinds: ["GET /v1/events/tail"],
    gauge: "portico_event_streams",
    exhausted: {
      detail: `The tenant has ${ofOne} event streams open with this replica already; end one first`,
      code: "event_streams_exhausted"
    },
    full: {
      detail: `This replica holds ${inAll} event streams, as many as it can; try again later`,
      code: "event_streams_full"
    },
    retryAfter: "30"
  },
  exports: {
    kinds: ["GET /v1/audit/export"],
    gauge: "portico_audit_exports",
    exhausted: {
      detail: `The tenant has ${ofOne} audit exports running with this replica already; wait until one has ended`,
      code: "audit_exports_exhausted"
    },
    full: {
      detail: `This replica carries out ${inAll} audit exports, as many as it can at once; try again later`,
      code: "audit_exports_full"
    },
    retryAfter: "30"
  }
} as const

const opened = (
  kind: string,
  { projectId, tokens }: { readonly projectId: string; readonly tokens: readonly [string, string, string] }
) =>
  Effect.acquireRelease(
    Effect.flatMap(TestGateway, ({ url }) => kinds[kind]!.open(url.customer, tokens[1], projectId)),
    ({ close }) => Effect.sync(close)
  )

const begins = (open: Open) => assert.include([101, 200], open.status(), open.text().slice(0, 500))

const refusedWith = (open: Open, body: object, retryAfter: string | undefined) => {
  assert.strictEqual(open.status(), 429, open.text().slice(0, 500))
  const [head = "", answer = ""] = open.text().split("\r\n\r\n")
  assert.deepStrictEqual(JSON.parse(answer), body)
  assert.strictEqual(/^retry-after: (.*)$/im.exec(head)?.[1], retryAfter)
}

const taken = Effect.fnUntraced(function* (gauge: string) {
  const { call } = yield* TestGateway
  const { text } = yield* call("operator", "GET", "/metrics")
  return Number(new RegExp(`^${gauge}(?:\\{[^}]*\\})? (\\d+)`, "m").exec(text)?.[1])
})

/** The text of all metrics takes more to write than an ending takes: it is asked for once that is likely to be over. */
const hasTaken = (gauge: string, count: number) =>
  Effect.andThen(settle, succeedInTime(Effect.map(taken(gauge), (_) => assert.strictEqual(_, count))))

let nth = 0
const newTenant = Effect.fnUntraced(function* (name: string) {
  yield* (yield* ClusterTap).script()
  const made = yield* tenant(`ceiling-${(nth += 1)}`)
  if (name === "cluster") yield* withNamespace(made.tokens[2], made.projectId)
  if (name === "exports") yield* longAudit(made.projectId, 400)
  yield* endlessCluster
  return made
})

/** How what is open comes to its end. */
const endings: Readonly<
  Record<
    string,
    (open: ReadonlyArray<Open>, credentialId: string) => Effect.Effect<unknown, unknown, TestGateway | ClusterTap>
  >
> = {
  "their clients disconnect": (open) =>
    Effect.sync(() => {
      for (const one of open) one.close()
    }),
  "the API server breaks off": () => Effect.flatMap(ClusterTap, (_) => _.breakOff),
  "their credential is revoked": (_, credentialId) =>
    Effect.flatMap(TestGateway, ({ call }) =>
      call("operator", "DELETE", `/v1/credentials/${credentialId}`, { token: operator })
    )
}

layer(Stage)("a tenant's concurrent streams", (it) => {
  for (const [name, { exhausted, gauge, kinds, retryAfter }] of Object.entries(ceilings)) {
    for (const [ending, end] of Object.entries(endings)) {
      if (ending === "the API server breaks off" && name !== "cluster") continue
      it.effect(`${name}: limited per tenant, and each place is released when ${ending}`, () =>
        Effect.gen(function* () {
          const acme = yield* newTenant(name)
          const { globex } = yield* Cast
          yield* (yield* ClusterTap).script()
          yield* withNamespace(globex.tokens[2], globex.projectId)
          yield* endlessCluster
          // Whichever kinds they are: all of them count together, and of one that is refused none is taken.
          // Each kind is refused once, and ends once in each way.
          const step = ending === "their clients disconnect" ? 1 : ofOne
          for (let first = 0; first < kinds.length; first += step) {
            const kindOf = (n: number) => kinds[(first + n) % kinds.length] ?? ""
            const open = yield* Effect.forEach(Array.from({ length: ofOne }), (_, n) => opened(kindOf(n), acme))
            open.forEach(begins)
            refusedWith(yield* opened(kindOf(ofOne), acme), exhausted, retryAfter)
            yield* hasTaken(gauge, ofOne)
            const other = yield* opened(kindOf(0), globex)
            begins(other)
            other.close()
            // A credential is revoked once.
            const isLast = first + step >= kinds.length
            yield* ending === "their credential is revoked" && !isLast
              ? Effect.sync(() => open.forEach((_) => _.close()))
              : end(open, acme.credentialIds[1])
            yield* hasTaken(gauge, 0)
          }
        })
      )
    }
  }

  it.effect("a refused watch, or one outside the tenant's namespaces, keeps no place", () =>
    Effect.gen(function* () {
      const acme = yield* newTenant("cluster")
      const tap = yield* ClusterTap
      yield* tap.script((_, to) => to.writeHead(410).end())
      yield* tap.scriptUpgrade((_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"))
      for (let n = 0; n < 3 * ofOne; n += 1) {
        assert.strictEqual((yield* opened("a watch", acme)).status(), 410)
        assert.strictEqual((yield* opened("exec", acme)).status(), 403)
        yield* hasTaken(ceilings.cluster.gauge, 0)
      }
    })
  )

  for (const [name, { full, gauge, kinds, retryAfter }] of Object.entries(ceilings)) {
    it.effect(`${name}: tenants at their ceilings leave places for another's first ones`, () =>
      Effect.gen(function* () {
        const [kind] = kinds
        let open = 0
        let refused: Open | undefined
        while (refused === undefined) {
          const one = yield* newTenant(name)
          for (let n = 0; n < ofOne && refused === undefined; n += 1) {
            const next = yield* opened(kind, one)
            if (next.status() === 429) refused = next
            else open += 1
          }
          assert.isAtMost(open, inAll)
        }
        refusedWith(refused, full, retryAfter)
        yield* hasTaken(gauge, open)
        begins(yield* opened(kind, yield* newTenant(name)))
      })
    )
  }

  it.effect("administrators share one tenant's limit", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { globex } = yield* Cast
      const open = yield* Effect.forEach(Array.from({ length: ofOne + 1 }), () =>
        Effect.acquireRelease(
          kinds["GET /v1/events/tail"]!.open(url.operator, operator, globex.projectId),
          ({ close }) => Effect.sync(close)
        )
      )
      assert.deepStrictEqual(
        open.map((_) => _.status()),
        [...Array<number>(ofOne).fill(200), 429]
      )
    })
  )
})
