import { NodeServices } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { chownSync, mkdtempSync, rmdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { eventually } from "../processes/children.ts"
import { startGateway, story, tenantOf } from "../processes/harness.ts"
import { account, directory, fresh } from "./Postgres.ts"
import { complete } from "./releases.ts"

const release = complete ?? { version: 0, bin: "" }

const mount = (path: string) => spawnSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", path])
const unmount = (path: string) => spawnSync("umount", ["-l", path])

/** Only root may mount a file system, and not in every container. */
const canMount = () => {
  const path = mkdtempSync(join(tmpdir(), "portico-mount-"))
  const { status } = mount(path)
  if (status === 0) unmount(path)
  rmdirSync(path)
  return status === 0
}
const canRun = complete !== undefined && canMount()

/** A file system of 64 MiB, so that it can be full without filling the machine's. */
const smallDisk = Effect.gen(function* () {
  const path = yield* directory
  const mounting = Effect.sync(() => {
    const { status, stderr } = mount(path)
    assert.strictEqual(status, 0, String(stderr))
    const { gid, uid } = { gid: 0, uid: 0, ...account }
    chownSync(path, uid, gid)
  })
  yield* Effect.acquireRelease(mounting, () => Effect.sync(() => unmount(path)))
  const ballast = join(path, "ballast")
  return {
    path,
    /** Leaves no byte free. */
    fill: Effect.sync(() => spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=4k"])),
    free: Effect.sync(() => rmSync(ballast))
  }
})

story.skipIf(!canRun)(
  `a full disk refuses writes with 503, and accepts them when it has space${canRun ? "" : ": NOT RUN, IT NEEDS scripts/parts/postgresql.sh, AND TO BE ROOT FOR A FILE SYSTEM"}`,
  () =>
    Effect.gen(function* () {
      const disk = yield* smallDisk
      const server = yield* fresh(release)
      // The tables alone are there: without room for its log a PostgreSQL ends, and cannot start.
      yield* server.psql("postgres", `CREATE TABLESPACE small LOCATION '${disk.path}'`)
      yield* server.psql("postgres", "DROP DATABASE portico")
      yield* server.psql("postgres", "CREATE DATABASE portico TABLESPACE small")
      const gateway = yield* startGateway({ DATABASE_URL: server.url("portico") })
      const { token } = yield* tenantOf(gateway, "Acme GmbH")
      const kept = yield* gateway.mint(token, "kept")
      assert.strictEqual(kept.status, 201)

      yield* server.psql("portico", "VACUUM FULL")
      yield* disk.fill
      let minted = 0
      const refused = Effect.flatMap(gateway.mint(token, "refused"), ({ body, status }) => {
        if (status === 201) minted++
        return status === 503 ? Effect.succeed(body.code) : Effect.fail(`${status} ${String(body.code)}`)
      })
      assert.strictEqual(yield* eventually(refused), "database_unavailable")
      assert.match(server.log(), /could not extend file .*: No space left on device/)
      assert.strictEqual((yield* gateway.whoami(kept.body.pat ?? "")).status, 200)
      assert.strictEqual((yield* gateway.tenants).status, 200)

      yield* disk.free
      const taken = Effect.flatMap(gateway.mint(token, "taken"), (_) =>
        _.status === 201 ? Effect.void : Effect.fail(_.status)
      )
      yield* eventually(taken)
      const labels = yield* server.psql(
        "portico",
        "SELECT label FROM credentials WHERE state = 'active' AND label <> ''"
      )
      assert.include(labels, "kept")
      assert.strictEqual(labels.split("\n").filter((_) => _ === "refused").length, minted)
    }).pipe(Effect.provide(NodeServices.layer))
)
