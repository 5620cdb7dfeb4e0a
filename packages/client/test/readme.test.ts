import { assert, it, layer } from "@effect/vitest"
import { clientCredentials } from "@portico/client/auth/clientCredentials"
import { createClient, isFailure } from "@portico/client/createClient"
import { Customer, pages } from "@portico/client/effect"
import { verify } from "@portico/client/webhooks"
import { fixtures } from "@portico/simulator/Fixtures"
import { Server } from "@portico/simulator/Server"
import { audienceScope, projectsRolesScope } from "@portico/simulator/zitadel/tokens"
import { Effect, Stream } from "effect"
import { readFileSync } from "node:fs"
import { Acme, AcmeAlone } from "../../gateway/test/harness/Acme.ts"
import { TestGateway } from "../../gateway/test/harness/TestGateway.ts"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

/** Lines without their indentation, and without what only names where something is from. */
const linesOf = (code: string) =>
  code
    .split("\n")
    .map((_) => _.trim())
    .filter((_) => _ !== "" && !_.startsWith("import "))
    .join("\n")

it("the README has the code of this file", () => {
  const blocks = [...read("../README.md").matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = ""]) => block)
  const source = linesOf(read("readme.test.ts"))
  assert.isAbove(blocks.length, 4)
  for (const block of blocks) assert.include(source, linesOf(block))
})

layer(AcmeAlone)("the README", (test) => {
  test.effect("works: a client, failures, pages, waits", () =>
    Effect.gen(function* () {
      const { url: urls } = yield* TestGateway
      const { tokens } = yield* Acme
      const url = urls.customer
      const token = tokens[2]
      yield* Effect.promise(async () => {
        const portico = createClient({ url, token })
        const { credential_id, pat } = await portico.credentials.mint({ kind: "api-key", tier: 0, label: "backup" })
        assert.isString(pat)

        const error: unknown = await portico.credentials.revoke({ credential_id: "cred-none" }).catch((_) => _)
        if (isFailure(error, portico.credentials.revoke) && error.code === "credential_not_found") {
          console.log(error.detail, error.requestId)
        }
        assert.isTrue(isFailure(error, portico.credentials.revoke))

        for await (const credential of portico.credentials.list.all({ label: "backup" })) {
          console.log(credential.credential_id, credential.last_used_at)
        }
        await portico.credentials.revoke({ credential_id })

        const database = await portico.databases.create({
          engine: "postgres",
          name: "orders",
          version: "17",
          size_gb: 10
        })
        assert.strictEqual(database.status, "pending")
        await portico.databases.remove({ engine: "postgres", name: "orders" })
      })
    })
  )

  test.effect("works: a login that renews itself", () =>
    Effect.gen(function* () {
      const { url: urls } = yield* TestGateway
      const { tokens } = yield* Acme
      const url = urls.customer
      const issuer = `${(yield* Server).url}/idp`
      const scope = ["openid", projectsRolesScope, audienceScope(fixtures.idp.projectId)].join(" ")
      yield* Effect.promise(async () => {
        const admin = createClient({ url, token: tokens[2] })
        const minted = await admin.credentials.mint({ kind: "api-key", tier: 0, label: "ci" })
        const clientId = minted.client_id
        const clientSecret = minted.client_secret ?? ""
        const portico = createClient({
          url,
          token: clientCredentials({ issuer, clientId, clientSecret, scope })
        })
        assert.strictEqual((await portico.identity.whoami()).credential_id, minted.credential_id)
      })
    })
  )

  test.effect("works: the Effect face", () =>
    Effect.gen(function* () {
      const { url: urls } = yield* TestGateway
      const { tokens } = yield* Acme
      const url = urls.customer
      const token = tokens[2]
      const program = Effect.gen(function* () {
        const portico = yield* Customer
        yield* portico.credentials
          .revoke({ params: { credential_id: "cred-none" } })
          .pipe(Effect.catchTag("NotFound", ({ detail }) => Effect.log(detail)))
        return yield* pages((from) => portico.projects.list({ query: from })).pipe(Stream.runCollect)
      }).pipe(Effect.provide(Customer.layer({ url, token })))
      const found = yield* program
      assert.strictEqual(found[0]?.count, 1)
    })
  )
})

/** Compiled, and carried out by other tests. */
export const compiledOnly = async (portico: ReturnType<typeof createClient>, request: Request, secret: string) => {
  const database = await portico.databases.create({ engine: "postgres", name: "orders", version: "17", size_gb: 10 })
  const ready = await portico.databases.create.wait(database, {
    timeout: 600_000,
    onProgress: ({ status, reason }) => console.log(status, reason)
  })

  const signal = AbortSignal.timeout(600_000)
  for await (const { cursor, event } of portico.events.tail({ topic: ["alarms"] }, { signal })) {
    console.log(cursor, event.kind)
  }

  const event = await verify(await request.text(), request.headers, secret)
  const servers = await portico.iaas.get("compute/servers/detail")
  return { ready, event, servers }
}
