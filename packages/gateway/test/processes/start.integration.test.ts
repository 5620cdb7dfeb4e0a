import { assert, it } from "@effect/vitest"
import { Effect, Redacted, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { spawnSync } from "node:child_process"
import { chownSync, rmSync, statSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { migrated } from "@portico/store/Database"
import { Aging, pass } from "@portico/testing/store/Aging"
import { TestDatabase } from "@portico/testing/store/TestDatabase"
import { eventually, repository } from "./children.ts"
import {
  createServer as createServerIn,
  isWhole,
  metadataOf,
  pasted,
  peopleOf,
  removePerson,
  serversOf,
  tokensWork
} from "./demo.ts"
import { devFileIn, emptyDirectory, endsWhole, npmStart, runs, up } from "./started.ts"

const live = (title: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(title, () => Effect.scoped(test()))

live("a second npm start on the same data has the same tenants, tokens, servers and people", () =>
  Effect.gen(function* () {
    const dataDir = yield* emptyDirectory
    const first = yield* npmStart(dataDir)
    const { dev } = yield* up(first, dataDir)

    yield* tokensWork(dev)
    const server = yield* createServerIn(dev)
    const engineer = (yield* peopleOf(dev)).find((_) => _.email === "engineer@acme.example")
    yield* removePerson(dev, engineer?.user_id ?? "nobody")
    const people = yield* peopleOf(dev)
    assert.sameMembers(
      people.map((_) => _.email),
      ["owner@acme.example", "viewer@acme.example"]
    )
    yield* endsWhole(first, first.signal("SIGINT", "group"))

    const second = yield* npmStart(dataDir)
    const again = yield* up(second, dataDir)
    const withoutOwners = (tenants: typeof dev.tenants) =>
      tenants.map(({ tokens, ...tenant }) => ({ ...tenant, tokens: { ...tokens, owner: "" } }))
    assert.deepStrictEqual(withoutOwners(again.dev.tenants), withoutOwners(dev.tenants))
    yield* tokensWork(again.dev)
    assert.include((yield* serversOf(again.dev)) ?? [], server)
    assert.deepStrictEqual(yield* peopleOf(again.dev), people, "who was removed stays removed")
    yield* endsWhole(second, second.signal("SIGTERM"))
  })
)

live("npm start -- --no-demo creates nothing in the cloud, and a later start creates the tenants", () =>
  Effect.gen(function* () {
    const dataDir = yield* emptyDirectory
    const bare = yield* npmStart(dataDir, {}, { args: ["--no-demo"] })
    const { banner, dev } = yield* up(bare, dataDir)
    assert.deepStrictEqual(dev.tenants, [])
    const state = yield* Effect.promise(async () =>
      JSON.stringify(await (await fetch(`${dev.cloud_url}/state`)).json())
    )
    assert.notInclude(state, "acme")
    assert.deepStrictEqual(
      pasted(banner).map(([, status]) => status),
      [201]
    )
    yield* endsWhole(bare, bare.signal("SIGINT", "group"))

    const usual = yield* up(yield* npmStart(dataDir), dataDir)
    yield* isWhole(usual.dev)
    assert.lengthOf(yield* peopleOf(usual.dev), 3)
  })
)

live("npm start refuses unknown arguments", () =>
  Effect.gen(function* () {
    const child = yield* npmStart(yield* emptyDirectory, {}, { args: ["--nodemo"] })
    assert.strictEqual(yield* child.ended, 1)
    assert.include(child.stderr(), "Usage: npm start [-- --no-demo]")
  })
)

live("PORTICO_TLS=true gives every plane a certificate, which clients with its authority accept", () =>
  Effect.gen(function* () {
    const dataDir = yield* emptyDirectory
    const { banner, dev } = yield* up(yield* npmStart(dataDir, { PORTICO_TLS: "true" }), dataDir)
    const authority = dev.ca_file ?? ""
    assert.strictEqual(authority, join(dataDir, "tls", "ca.pem"))
    for (const file of ["ca.pem", "cert.pem", "key.pem"]) {
      assert.strictEqual(statSync(join(dataDir, "tls", file)).mode & 0o777, 0o600, file)
    }
    const status = (url: string, ...options: ReadonlyArray<string>) => {
      const { status, stdout } = spawnSync("curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}", ...options, url])
      return [status, String(stdout)]
    }
    for (const page of [`${dev.customer_url}/health`, `${dev.operator_url}/health`, metadataOf(dev.agent_url ?? "")]) {
      assert.match(page, /^https:/)
      assert.deepStrictEqual(status(page, "--cacert", authority), [0, "200"], page)
      assert.deepStrictEqual(status(page.replace("127.0.0.1", "localhost"), "--cacert", authority), [0, "200"], page)
      assert.strictEqual(status(page)[0], 60, "without the authority it is not trusted")
    }
    assert.deepStrictEqual(
      pasted(banner).map(([, status]) => status),
      [200, 200, 201]
    )
    // OpenStack's clients begin here.
    const identity = status(`${dev.customer_url}/v1/iaas/identity/v3`, "--cacert", authority)
    assert.deepStrictEqual(identity, [0, "200"])
    assert.strictEqual(new URL(dev.s3_url ?? "").pathname, "/")
  })
)

live("Ctrl-C during the start ends all of it, and the next start succeeds", () =>
  Effect.gen(function* () {
    const dataDir = yield* emptyDirectory
    for (const said of ["gateway/src/start.ts", "postgres: checkpointer"]) {
      const child = yield* npmStart(dataDir)
      yield* eventually(Effect.sync(() => assert.isTrue(runs(child, said))))
      yield* endsWhole(child, child.signal("SIGINT", "group"))
    }
    const child = yield* npmStart(dataDir)
    yield* tokensWork((yield* up(child, dataDir)).dev)
  })
)

live("a second start on the same data is refused with a message, and the first continues", () =>
  Effect.gen(function* () {
    const dataDir = yield* emptyDirectory
    const first = yield* npmStart(dataDir)
    const { dev } = yield* up(first, dataDir)
    const second = yield* npmStart(dataDir)
    assert.strictEqual(yield* second.ended, 1)
    assert.match(
      second.stderr(),
      /^portico: .+ is in use by process \d+\. Stop that first, or choose another data directory\.$/m
    )
    assert.notInclude(second.stderr(), "    at ")
    assert.deepStrictEqual(devFileIn(dataDir), dev)
    yield* tokensWork(dev)
  })
)

live("a database and a cloud that do not match are refused, and so is a file as directory", () =>
  Effect.gen(function* () {
    const dataDir = yield* emptyDirectory
    const first = yield* npmStart(dataDir)
    yield* up(first, dataDir)
    yield* endsWhole(first, first.signal("SIGINT", "group"))
    rmSync(join(dataDir, "cloud.json"))
    const second = yield* npmStart(dataDir)
    assert.strictEqual(yield* second.ended, 1)
    assert.include(
      second.stderr().split("\n"),
      "portico: The database and the simulated cloud do not belong together: only one of them has the tenant acme. " +
        "Begin with a new PORTICO_DATA_DIR, and an empty database when DATABASE_URL is set."
    )

    const file = join(dataDir, "dev.json")
    const third = yield* npmStart(file)
    assert.strictEqual(yield* third.ended, 1)
    assert.include(
      third.stderr().split("\n"),
      `portico: The data directory cannot be used: EEXIST: file already exists, mkdir '${file}'. PORTICO_DATA_DIR sets another one.`
    )
  })
)

/** A port that is in use. */
const takenPort = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; close(): void }>((resume) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({ port, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

live("a taken port is named, with the setting that changes it", () =>
  Effect.gen(function* () {
    const dataDir = yield* emptyDirectory
    const { port } = yield* takenPort
    for (const [setting, who] of [
      ["CLOUD_PORT", "The simulated cloud"],
      ["CUSTOMER_PORT", "The customer plane"],
      ["OPERATOR_PORT", "The operator plane"],
      ["AGENT_PORT", "The agent plane"]
    ] as const) {
      const child = yield* npmStart(dataDir, { [setting]: String(port) })
      assert.strictEqual(yield* child.ended, 1)
      assert.include(
        child.stderr().split("\n"),
        `portico: ${who} cannot listen on 127.0.0.1:${port}: the port is taken. ${setting} sets another port, 0 any free one.`
      )
      assert.notInclude(child.stderr(), "    at ")
    }
  })
)

it.live("DATABASE_URL replaces the embedded database, and the next start completes a killed one", () =>
  Effect.gen(function* () {
    const dataDir = yield* emptyDirectory
    const sql = yield* SqlClient.SqlClient
    const { url } = yield* TestDatabase
    const settings = { DATABASE_URL: Redacted.value(url), SWEEP_SECONDS: "1" }

    // No tenant can be written meanwhile, so that the first onboarding is not over before it is looked at.
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`LOCK TABLE tenants IN SHARE MODE`
        const killed = yield* npmStart(dataDir, settings)
        yield* eventually(Effect.map(sql`SELECT * FROM onboardings`, (rows) => assert.lengthOf(rows, 1)))
        yield* killed.signal("SIGKILL", "group")
        yield* killed.ended
      })
    )

    const child = yield* npmStart(dataDir, settings)
    yield* eventually(Effect.sync(() => assert.include(child.stdout(), "Waiting until what an earlier start left")))
    yield* pass("2 minutes")
    const { dev } = yield* up(child, dataDir)
    yield* tokensWork(dev)
    const tenants = yield* sql<{ readonly slug: string }>`SELECT slug FROM tenants ORDER BY slug`
    assert.deepStrictEqual(
      tenants.map((_) => _.slug),
      ["acme", "globex"]
    )
    assert.isUndefined(statSync(join(dataDir, "postgres"), { throwIfNoEntry: false }))
  }).pipe(Effect.scoped, Effect.provide(Aging.layer), Effect.provide(migrated), Effect.provide(TestDatabase.layer))
)

const ordinaryUser = 65534

/** Whether there is another user to be, who can read this repository. */
const canBeOrdinary =
  process.getuid?.() === 0 && spawnSync("ls", [repository], { uid: ordinaryUser, gid: ordinaryUser }).status === 0

it.live.skipIf(!canBeOrdinary)("npm start works for an ordinary user without write access to the repository", () =>
  Effect.gen(function* () {
    const dataDir = yield* emptyDirectory
    chownSync(dataDir, ordinaryUser, ordinaryUser)
    const child = yield* npmStart(dataDir, { HOME: dataDir }, { uid: ordinaryUser })
    yield* tokensWork((yield* up(child, dataDir)).dev)
    assert.strictEqual(statSync(join(dataDir, "postgres", "cluster", "data")).uid, ordinaryUser)
    yield* endsWhole(child, child.signal("SIGTERM", "group"))
  }).pipe(Effect.scoped)
)
