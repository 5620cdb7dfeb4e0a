import { assert, describe, it } from "@effect/vitest"
import { autoscalingMetadata } from "@portico/gateway/proxy/rules/autoscalingMetadata"
import { Effect } from "effect"
import { ask, callOf, judge, type Read } from "./judge.ts"
import { anId, everybody, tenants } from "./Spelling.ts"

const group = "portico-autoscaling-group"
const slot = "portico-autoscaling-slot"

/** A server with this metadata, and what was read of it. */
const having = (metadata: unknown) => {
  const asked: Array<string> = []
  const read: Read = (segments) => {
    asked.push(segments.join("/"))
    return Effect.succeed(metadata === undefined ? undefined : { metadata })
  }
  return { asked, read }
}

type Way = readonly [method: string, path: string, body: (metadata: object) => unknown]

/** Ways to give metadata to a new server, and to one that has some. */
const creating: ReadonlyArray<Way> = ["servers", "os-volumes_boot", "Servers.json"].map((_) => [
  "POST",
  `/compute/${_}`,
  (metadata) => ({ server: { name: "web", metadata } })
])
const changing: ReadonlyArray<Way> = [
  ["POST", `/compute/servers/${anId}/metadata`, (metadata) => ({ metadata })],
  ["PUT", `/compute/servers/${anId}/metadata`, (metadata) => ({ metadata })],
  ["PUT", `/compute/servers/${anId}/metadata/${group}`, (meta) => ({ meta })],
  ["POST", `/compute/servers/${anId}/action`, (metadata) => ({ rebuild: { imageRef: anId, metadata } })],
  ["POST", `/compute/os-volumes_boot/${anId}/action`, (metadata) => ({ rebuild: { imageRef: anId, metadata } })]
]

/** What a tenant may not give a server that has `{[group]: "g", note: "x"}`. */
const refused: ReadonlyArray<object> = [
  { [group]: "other" },
  { [slot]: "s" },
  { note: "x", [group]: "g", [slot]: "s" },
  // The database may take these for the same key.
  { [group.toUpperCase()]: "g" },
  { [`${group} `]: "g" },
  { "portico-autosc\u00e1ling-slot": "s" }
]
const present = { [group]: "g", note: "x" }

describe("autoscaling's own metadata of servers", () => {
  for (const [method, path, body] of [...creating, ...changing]) {
    it.effect(`cannot be set by a tenant with ${method} ${path}`, () =>
      Effect.gen(function* () {
        for (const metadata of refused) {
          const call = { method, path, body: body(metadata) }
          for (const who of tenants) {
            for (const found of [present, {}, undefined]) {
              assert.strictEqual(yield* judge(call, who, having(found).read), "platform_act_refused")
            }
          }
          assert.strictEqual(yield* judge(call, "operator", having({}).read), "allowed")
        }
      })
    )

    it.effect(`does not prevent other metadata, with ${method} ${path}, without a read`, () =>
      Effect.gen(function* () {
        const { asked, read } = having(present)
        for (const metadata of [{}, { note: group }, { [`${group}-note`]: "x", role: "web" }]) {
          for (const who of everybody) {
            assert.strictEqual(yield* judge({ method, path, body: body(metadata) }, who, read), "allowed")
          }
        }
        assert.deepStrictEqual(asked, [])
      })
    )
  }

  for (const [method, path, body] of changing) {
    it.effect(`may be repeated with its present value, by ${method} ${path}`, () =>
      Effect.gen(function* () {
        const { asked, read } = having(present)
        const call = { method, path, body: body({ [group]: "g", role: "web" }) }
        assert.strictEqual(yield* judge(call, "machine", read), "allowed")
        assert.deepStrictEqual(asked, [`servers/${anId}/metadata`])
      })
    )
  }

  it.effect("cannot be set on a new server, even if another has it", () =>
    Effect.gen(function* () {
      const { asked, read } = having(present)
      for (const [method, path, body] of creating) {
        assert.strictEqual(
          yield* judge({ method, path, body: body({ [group]: "g" }) }, "machine", read),
          "platform_act_refused"
        )
      }
      assert.deepStrictEqual(asked, [])
    })
  )

  it.effect("is refused by its name; reading and removing it is allowed", () =>
    Effect.gen(function* () {
      const call = callOf({ method: "POST", path: "/compute/servers" })
      const failure = yield* Effect.flip(ask(autoscalingMetadata, call, { server: { metadata: { [slot]: "s" } } }))
      assert.strictEqual(
        failure.detail,
        `POST of servers with metadata ${slot} is not for tenants: ` +
          "autoscaling finds the servers of its groups by it, and deletes them"
      )
      for (const method of ["GET", "DELETE"]) {
        const path = `/compute/servers/${anId}/metadata/${group}`
        assert.strictEqual(autoscalingMetadata.concerns(callOf({ method, path })), "nothing")
      }
    })
  )
})
