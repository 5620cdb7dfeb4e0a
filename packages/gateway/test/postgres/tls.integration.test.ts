import { NodeServices } from "@effect/platform-node"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { chownSync } from "node:fs"
import { certificateIn, hasOpenssl } from "../harness/Tls.ts"
import { startGateway, story, tenantOf } from "../processes/harness.ts"
import { account, directory, fresh } from "./Postgres.ts"
import { findingOf, refusalOf } from "./refusals.ts"
import { older } from "./releases.ts"

// That of the embedded PostgreSQL is made without TLS.
const [release] = older
const isHere = release !== undefined && (await Effect.runPromise(hasOpenssl))

story.skipIf(!isHere)(
  `a database in TLS is trusted by the authority that sslrootcert names${isHere ? "" : ": NOT RUN, scripts/parts/postgresql.sh OR openssl IS MISSING"}`,
  () =>
    Effect.gen(function* () {
      const path = yield* directory
      const { cert, key } = yield* certificateIn((name) => `${path}/${name}`)
      const { gid, uid } = { gid: process.getgid?.() ?? 0, uid: process.getuid?.() ?? 0, ...account }
      for (const file of [cert, key]) chownSync(file, uid, gid)
      const server = yield* fresh(release!, { ssl: "on", ssl_cert_file: cert, ssl_key_file: key })
      const url = (options: string) => `${server.url("portico")}?${options}`
      const encrypted = server.psql(
        "postgres",
        "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND datname = 'portico'"
      )

      for (const mode of ["", "sslmode=require&", "sslmode=verify-full&"]) {
        const trusted = url(`${mode}sslrootcert=${cert}`)
        const gateway = yield* startGateway({ DATABASE_URL: trusted })
        const { token } = yield* tenantOf(gateway, `Acme ${mode.length}`)
        assert.strictEqual((yield* gateway.whoami(token)).status, 200)
        assert.isAbove(Number(yield* encrypted), 2, mode)
        assert.strictEqual((yield* findingOf(trusted)).state, "ok", mode)
        yield* gateway.stop
      }

      for (const options of ["sslmode=require", "sslmode=verify-full&sslrootcert=system", "sslmode=prefer"]) {
        const { detail, state } = yield* findingOf(url(options))
        assert.strictEqual(state, "failed", options)
        assert.match(detail, /self-signed certificate/, options)
      }
      assert.strictEqual((yield* findingOf(url(`sslmode=disable&sslrootcert=${cert}`))).state, "ok")

      const [code, said] = yield* refusalOf(url("sslmode=require&sslrootcert=/nowhere/ca.pem"))
      assert.deepStrictEqual(
        [code, said],
        [
          1,
          [
            "portico: the file that sslrootcert in DATABASE_URL names cannot be read: ENOENT: no such file or directory, open '/nowhere/ca.pem'"
          ]
        ]
      )
    }).pipe(Effect.provide(NodeServices.layer))
)
