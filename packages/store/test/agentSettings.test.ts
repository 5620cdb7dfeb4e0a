import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect, Stream } from "effect"
import { AgentSettings, deactivationLease } from "../src/AgentSettings.ts"
import { Credentials, everybodyIn } from "../src/Credentials.ts"
import { ProjectRecords } from "../src/ProjectRecords.ts"
import { Rotations } from "../src/Rotations.ts"
import { pass } from "@portico/testing/store/Aging"
import { credential, successor } from "./credential.ts"
import { present, storiesOf } from "./stories.ts"

const confirm = ["billed", "irreversible"]
const ended = (by = "owner") => Effect.flatMap(AgentSettings, (_) => _.end("project-1", { by, confirm }))
const ids = (rows: ReadonlyArray<{ readonly credential_id: string }>) => rows.map((_) => _.credential_id).toSorted()
const stateOf = (id: string) =>
  Effect.flatMap(Credentials, (_) => Effect.map(_.find(id), (row) => [row?.state, row?.revoked_at !== null]))

storiesOf("AgentSettings", (story) => {
  story(
    "the end revokes a project's agents, their derived credentials and mints, and no others",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      for (const row of [
        credential("script"),
        credential("agent", { kind: "mcp" }),
        credential("held", { kind: "mcp", state: "suspended" }),
        credential("minting", { kind: "mcp", state: "minting" }),
        credential("below", { made_by: "agent" }),
        credential("below-that", { made_by: "below" }),
        credential("below-a-script", { made_by: "script" }),
        credential("person", { kind: "member", made_by: "agent" }),
        credential("elsewhere", { kind: "mcp", project_id: "project-2" })
      ]) {
        yield* credentials.insert(row)
      }
      const { at, revoked } = yield* ended()
      assert.deepStrictEqual(ids(revoked), ["agent", "below", "below-that", "held", "minting"])
      for (const id of ["agent", "below", "below-that", "held", "minting"]) {
        assert.deepStrictEqual(yield* stateOf(id), ["revoked", true], id)
      }
      for (const id of ["script", "below-a-script", "person", "elsewhere"]) {
        assert.strictEqual((yield* stateOf(id))[0], "active", id)
      }
      assert.isUndefined(yield* credentials.activate("minting", "pat"))
      const settings = yield* AgentSettings
      const row = yield* settings.find("project-1")
      assert.deepInclude(row, { enabled: true, confirm, updated_at: null, ended_by: "owner" })
      assert.strictEqual(row?.ended_at?.epochMilliseconds, at.epochMilliseconds)
      assert.isUndefined(yield* settings.find("project-2"))

      yield* pass("1 second")
      const again = yield* ended("co-owner")
      assert.deepStrictEqual(again.revoked, [])
      assert.isAbove(again.at.epochMilliseconds, at.epochMilliseconds)
    })
  )

  story(
    "each user is deactivated once, and again after a cut; a mint's user is left to the sweep",
    Effect.fnUntraced(function* () {
      const credentials = yield* Credentials
      const settings = yield* AgentSettings
      for (const id of ["one", "two"]) yield* credentials.insert(credential(id, { kind: "mcp" }))
      yield* credentials.insert(credential("minting", { kind: "mcp", state: "minting" }))
      assert.deepStrictEqual(yield* settings.claimDeactivations, [])
      yield* ended()
      assert.deepStrictEqual(ids(yield* settings.claimDeactivations), ["one", "two"])
      assert.deepStrictEqual(yield* settings.claimDeactivations, [])
      yield* settings.deactivated("one")
      yield* pass(deactivationLease)
      assert.deepStrictEqual(ids(yield* settings.claimDeactivations), ["two"])
      assert.deepStrictEqual(ids(yield* credentials.claimAbandonedMints), ["minting"])
    })
  )

  story(
    "a policy is replaced whole and keeps the end, and goes with the project",
    Effect.fnUntraced(function* () {
      const settings = yield* AgentSettings
      const put = (change: object) =>
        settings.put({ project_id: "project-1", enabled: true, confirm: [], updated_by: "admin", ...change })
      const first = yield* put({ enabled: false })
      assert.deepInclude(first, { enabled: false, confirm: [], ended_at: null })
      yield* ended()
      yield* pass("1 second")
      const { at } = yield* ended("co-owner")
      assert.deepInclude(yield* settings.find("project-1"), { confirm: [], ended_by: "co-owner" })
      const row = yield* put({ confirm: ["writes"], updated_by: "owner" })
      assert.deepInclude(row, { enabled: true, confirm: ["writes"], updated_by: "owner", ended_by: "co-owner" })
      assert.strictEqual(row.ended_at?.epochMilliseconds, at.epochMilliseconds)
      assert.isAbove(row.updated_at?.epochMilliseconds ?? 0, first.updated_at?.epochMilliseconds ?? Infinity)
      yield* (yield* ProjectRecords).end("project-1")
      assert.isUndefined(yield* settings.find("project-1"))
    })
  )

  story(
    "an agent that had expired before the end keeps its expiry",
    Effect.fnUntraced(function* () {
      const rotations = yield* Rotations
      yield* (yield* Credentials).insert(credential("old", { kind: "mcp" }))
      yield* present(rotations.begin(successor("new", "old", { kind: "mcp" })))
      yield* present(rotations.complete("new", "pat", Duration.minutes(1)))
      yield* pass("1 hour")
      const { at, revoked } = yield* ended()
      assert.deepStrictEqual(
        revoked.map(({ credential_id, revoked_at, revokes_at }) => [
          credential_id,
          DateTime.toEpochMillis(revoked_at ?? at),
          revokes_at === null
        ]),
        [
          ["new", DateTime.toEpochMillis(at), true],
          ["old", DateTime.toEpochMillis(revoked[1]?.revokes_at ?? at), false]
        ]
      )
    })
  )

  story(
    "every process is notified of a policy and of an end",
    Effect.fnUntraced(function* () {
      const settings = yield* AgentSettings
      const changes = yield* (yield* Credentials).changes
      yield* settings.put({ project_id: "project-1", enabled: true, confirm: [], updated_by: "admin" })
      yield* settings.end("project-2", { by: "owner", confirm })
      const heard = yield* Stream.runCollect(Stream.take(changes, 2))
      assert.deepStrictEqual(heard, [everybodyIn("project-1"), everybodyIn("project-2")])
    })
  )
})
