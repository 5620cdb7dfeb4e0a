import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { jsonOf, type Plane, TestGateway } from "../harness/TestGateway.ts"
import { unique } from "./Guests.ts"
import { Neighbours, neighbourhood } from "../isolation/Belongings.ts"
import { kinds } from "../isolation/kinds.ts"
import { strange } from "../isolation/stranger.ts"
import { makeKeys, s3, uidOf } from "./ObjectGateway.ts"

layer(neighbourhood, { excludeTestServices: true })("another tenant's resources", (it) => {
  for (const [service, ofService] of Object.entries(kinds)) {
    for (const [kind, of] of Object.entries(ofService)) {
      it.effect(`${service}, ${kind}: not listed, read, changed or deleted, and unchanged`, () =>
        Effect.gen(function* () {
          const { acme, globex } = yield* Neighbours
          assert.deepStrictEqual(yield* strange(of(acme, globex), acme, globex), [])
        })
      )
    }
  }

  it.effect("the gateway's own: credentials, quotas and the tenant itself", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Neighbours
      const { call } = yield* TestGateway
      const as = (token: string, method: string, path: string, plane: Plane = "customer") =>
        call(plane, method, path, { token, headers: { "x-tenant-id": acme.projectId, "x-project-id": acme.projectId } })
      const [, , token] = globex.tokens
      const [theirs = ""] = acme.tenant.credentialIds

      assert.strictEqual(jsonOf(yield* as(token, "GET", "/v1/whoami")).tenant.id, globex.projectId)
      const listed = jsonOf(yield* as(token, "GET", "/v1/credentials?include_revoked=true"))
      assert.notInclude(JSON.stringify(listed), acme.projectId)
      for (const id of acme.tenant.credentialIds) assert.notInclude(JSON.stringify(listed), id)
      for (const id of [theirs, "cred-0000000000000000"]) {
        const refused = yield* as(token, "DELETE", `/v1/credentials/${id}`)
        assert.deepStrictEqual([refused.status, jsonOf(refused).detail], [404, `Credential '${id}' not found`])
      }
      assert.strictEqual((yield* as(acme.tokens[0], "GET", "/v1/whoami")).status, 200)

      const never = "0123456789abcdef0123456789abcdef"
      const [project, nobodys] = yield* Effect.forEach([acme.projectId, never], (id) =>
        as(token, "GET", `/v1/quotas?project=${id}`)
      )
      assert.deepStrictEqual([project?.status, project?.text], [403, nobodys?.text])

      for (const [method, path] of [
        ["GET", "/v1/tenants"],
        ["POST", `/v1/tenants/${acme.projectId}/suspend`],
        ["POST", `/v1/tenants/${acme.projectId}/tier`]
      ] as const) {
        assert.strictEqual((yield* as(token, method, path)).status, 404, path)
        assert.strictEqual((yield* as(token, method, path, "operator")).status, 403, path)
      }
    })
  )

  it.effect("buckets and objects: keys of another tenant do not open them", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Neighbours
      const [own, others] = [yield* makeKeys(acme.projectId), yield* makeKeys(globex.projectId)]
      const bucket = unique("bucket")
      assert.strictEqual((yield* s3(own, "PUT", `/${bucket}`)).status, 200)
      assert.strictEqual((yield* s3(own, "PUT", `/${bucket}/one`, { body: "kept" })).status, 200)

      assert.notInclude((yield* s3(others, "GET", "/")).text, bucket)
      const tries: ReadonlyArray<readonly [method: string, path: string, query?: Readonly<Record<string, string>>]> = [
        ["GET", `/${bucket}`],
        ["GET", `/${bucket}`, { "list-type": "2" }],
        ["GET", `/${bucket}`, { acl: "" }],
        ["GET", `/${bucket}`, { policy: "" }],
        ["GET", `/${bucket}/one`],
        ["GET", `/${bucket}/one`, { acl: "" }],
        ["PUT", `/${bucket}/one`],
        ["PUT", `/${bucket}/two`],
        ["PUT", `/${bucket}`, { versioning: "" }],
        ["DELETE", `/${bucket}/one`],
        ["DELETE", `/${bucket}`],
        ["GET", "/admin/user", { uid: uidOf(acme.projectId) }],
        ["PUT", "/admin/user", { key: "", uid: uidOf(acme.projectId), "generate-key": "true" }],
        ["DELETE", "/admin/user", { uid: uidOf(acme.projectId) }],
        ["GET", "/admin/bucket", { uid: uidOf(acme.projectId) }]
      ]
      for (const [method, path, query = {}] of tries) {
        const refused = yield* s3(others, method, path, { query })
        assert.strictEqual(refused.status, 403, `${method} ${path} ${JSON.stringify(query)}: ${refused.text}`)
      }
      assert.strictEqual((yield* s3(others, "PUT", `/${bucket}`)).status, 409)
      assert.strictEqual((yield* s3(own, "GET", `/${bucket}/one`)).text, "kept")
    })
  )
})
