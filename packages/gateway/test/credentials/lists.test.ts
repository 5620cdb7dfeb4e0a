import { assert, layer } from "@effect/vitest"
import { Memory } from "@portico/testing/store/Memory"
import { DateTime, Effect, Layer } from "effect"
import { Cast, mint, operator, person } from "../harness/Cast.ts"
import { jsonOf, type Plane, planes, TestGateway } from "../harness/TestGateway.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

/** The ids of a list, and its whole answer. */
const list = Effect.fnUntraced(function* (plane: Plane, token: string, query: string) {
  const answer = yield* (yield* TestGateway).call(plane, "GET", `/v1/credentials?${query}`, { token })
  assert.strictEqual(answer.status, 200, answer.text)
  const body = jsonOf(answer)
  const rows: ReadonlyArray<Readonly<Record<string, unknown>>> = body.credentials
  assert.strictEqual(body.count, rows.length)
  return { rows, ids: rows.map((_) => _["credential_id"]) }
})

/** Moves the making and the last use of a credential back, as if so many days had passed. */
const aged = Effect.fnUntraced(function* (credentialId: string, made: number, used: number | null) {
  const { credentials } = yield* Memory
  const row = credentials.get(credentialId)
  if (row === undefined) return yield* Effect.die(credentialId)
  const now = yield* DateTime.now
  const ago = (days: number) => DateTime.subtract(now, { days })
  credentials.set(credentialId, {
    ...row,
    created_at: ago(made),
    last_used_at: used === null ? null : ago(used)
  })
})

layer(Everything, { excludeTestServices: true })("a list of credentials", (it) => {
  it.effect("has each one's maker, and a maker's derived ones: a tree from the people down", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const olga = yield* person("olga", ["customer-owner"], acme.projectId, "customer-owner")
      const parent = yield* mint(olga, 2, "parent")
      const child = yield* mint(parent.pat, 1, "child")
      const agent = yield* mint(child.pat, 0, "agent", { kind: "mcp" })
      for (const plane of planes) {
        const { rows } = yield* list(plane, acme.tokens[0], "")
        const makers = new Map(rows.map((_) => [_["credential_id"], _["made_by"]]))
        assert.strictEqual(makers.get(agent.credential_id), child.credential_id)
        assert.strictEqual(makers.get(child.credential_id), parent.credential_id)
        const person = rows.find((_) => _["credential_id"] === parent.credential_id)
        // A person is shown by the user id, as members are.
        assert.strictEqual(person?.["made_by"], person?.["created_by"])
        // The first credential of the tenant has no maker.
        assert.isNull(rows.find((_) => _["created_by"] === "onboarding")?.["made_by"])
        assert.isFalse(rows.some((_) => "tenant" in _))

        const madeBy = (id: unknown) => Effect.map(list(plane, acme.tokens[0], `made_by=${id}`), (_) => _.ids)
        assert.deepStrictEqual(yield* madeBy(person?.["created_by"]), [parent.credential_id])
        assert.deepStrictEqual(yield* madeBy(parent.credential_id), [child.credential_id])
        assert.deepStrictEqual(yield* madeBy(agent.credential_id), [])
        const foreign = yield* list(plane, globex.tokens[0], `made_by=${parent.credential_id}`)
        assert.deepStrictEqual(foreign.ids, [])
        assert.deepStrictEqual((yield* list(plane, acme.tokens[0], "kind=mcp")).ids, [agent.credential_id])
        assert.notInclude((yield* list(plane, acme.tokens[0], "kind=api-key")).ids, agent.credential_id)
      }
    })
  )

  it.effect("has credentials unused for long: a tenant's own, and an operator's of every tenant", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const fresh = yield* mint(acme.tokens[2], 0, "fresh")
      const [never, once, busy] = [
        yield* mint(acme.tokens[2], 0, "never"),
        yield* mint(acme.tokens[2], 0, "once", { kind: "mcp" }),
        yield* mint(acme.tokens[2], 0, "busy")
      ]
      const other = yield* mint(globex.tokens[2], 0, "other")
      yield* aged(never.credential_id, 100, null)
      yield* aged(once.credential_id, 200, 120)
      yield* aged(busy.credential_id, 200, 89)
      yield* aged(other.credential_id, 150, null)

      for (const plane of planes) {
        const own = yield* list(plane, acme.tokens[0], "unused_days=90")
        assert.deepStrictEqual(own.ids, [once.credential_id, never.credential_id])
        assert.notInclude(own.ids, fresh.credential_id)
        const agents = yield* list(plane, acme.tokens[0], "unused_days=90&kind=mcp")
        assert.deepStrictEqual(agents.ids, [once.credential_id])
      }
      const { rows } = yield* list("operator", operator, "unused_days=90")
      assert.deepStrictEqual(
        rows.map((_) => [_["credential_id"], _["kind"], _["tenant"]]),
        [
          [other.credential_id, "api-key", { slug: "globex", name: globex.name }],
          [once.credential_id, "mcp", { slug: "acme", name: acme.name }],
          [never.credential_id, "api-key", { slug: "acme", name: acme.name }]
        ]
      )
      assert.isString(rows[1]?.["last_used_at"])
      assert.strictEqual(rows[1]?.["made_by"], acme.credentialIds[2])
    })
  )

  it.effect("of unused credentials comes in pages", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const found: Array<string> = []
      let cursor = ""
      do {
        const path = `/v1/credentials?unused_days=90&limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`
        const answer = jsonOf(yield* call("operator", "GET", path, { token: operator }))
        assert.strictEqual(answer.count, 3)
        assert.lengthOf(answer.credentials, 1)
        found.push(answer.credentials[0].label)
        assert.isBelow(found.length, 4)
        cursor = answer.next_cursor ?? ""
      } while (cursor !== "")
      assert.deepStrictEqual(found, ["other", "once", "never"])
    })
  )
})
