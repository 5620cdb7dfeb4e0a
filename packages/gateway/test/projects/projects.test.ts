import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Cast, mint, operator } from "../harness/Cast.ts"
import { failed } from "../kubernetes/ClusterTap.ts"
import { jsonOf, planes, TestGateway } from "../harness/TestGateway.ts"

const words =
  "Concurrent deletion state: the project is being deleted or its account is being closed, and nothing in it can be changed"
const closing = { detail: words, code: "concurrent_deletion_state" }

const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" }

interface Asked {
  readonly method: string
  readonly path: (projectId: string) => string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

const at =
  (path: string): Asked["path"] =>
  () =>
    path

const inNamespace =
  (path: string): Asked["path"] =>
  (projectId) =>
    `/v1/kubernetes/api/v1/namespaces/db-${projectId}/${path}`

const refused: ReadonlyArray<Asked> = [
  { method: "POST", path: at("/v1/credentials"), body: { kind: "api-key", tier: 0, label: "more" } },
  { method: "POST", path: at("/v1/iaas/compute/os-keypairs"), body: { keypair: { name: "more" } } },
  { method: "PUT", path: at("/v1/iaas/network/networks/some-id"), body: { network: {} } },
  { method: "PATCH", path: at("/v1/iaas/image/images/some-id"), body: [] },
  { method: "DELETE", path: at("/v1/iaas/compute/servers/some-id") },
  // Not a delete for the tier, and a change all the same.
  { method: "DELETE", path: at("/v1/iaas/compute/servers/some-id/os-volume_attachments/some-id") }
]

const refusedByCluster: ReadonlyArray<Asked> = [
  { method: "POST", path: inNamespace("configmaps"), body: { metadata: { name: "more" } } },
  { method: "DELETE", path: inNamespace("configmaps/some-name") },
  { method: "GET", path: inNamespace("pods/web/exec?command=sh"), headers: upgrade },
  { method: "GET", path: inNamespace("pods/web/portforward"), headers: upgrade },
  { method: "GET", path: inNamespace("services/web/proxy/") }
]

const read: ReadonlyArray<Asked & { readonly status: number }> = [
  { method: "GET", path: at("/v1/whoami"), status: 200 },
  { method: "GET", path: at("/v1/quotas"), status: 200 },
  { method: "GET", path: at("/v1/credentials"), status: 200 },
  { method: "GET", path: at("/v1/iaas/compute/servers"), status: 200 },
  { method: "GET", path: inNamespace("configmaps"), status: 200 },
  { method: "GET", path: inNamespace("secrets"), status: 200 },
  {
    method: "POST",
    path: at("/v1/kubernetes/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),
    body: { spec: { resourceAttributes: { verb: "get", resource: "pods" } } },
    status: 201
  }
]

layer(Cast.layer.pipe(Layer.provideMerge(TestGateway.layer)))("a project that is being deleted", (it) => {
  it.effect("is readable by its people and unchangeable, suspends its keys, and is restored by a cancellation", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { acme, customerAdmin, customerOwner } = yield* Cast
      const project = `/v1/projects/${acme.projectId}`
      const victim = yield* mint(acme.tokens[2], 0, "leaked")
      yield* call("customer", "POST", inNamespace("configmaps")(acme.projectId), {
        token: acme.tokens[2],
        body: { metadata: { name: "settings" } }
      })

      const unconfirmed = yield* call("customer", "DELETE", project, { token: customerOwner })
      assert.strictEqual(unconfirmed.status, 422)
      const wrong = yield* call("customer", "DELETE", `${project}?confirm=Acme`, { token: customerOwner })
      assert.deepStrictEqual(jsonOf(wrong), {
        detail: "Nothing was deleted: confirm must be the name of the project, 'acme'",
        code: "deletion_not_confirmed"
      })

      const begun = yield* call("customer", "DELETE", `${project}?confirm=acme`, { token: customerOwner })
      assert.strictEqual(begun.status, 202)
      assert.deepInclude(jsonOf(begun), { state: "deleting", closing: ["project_deletion"] })
      assert.strictEqual(jsonOf(begun).deletion.state, "purging")

      for (const plane of planes) {
        for (const token of [customerOwner, customerAdmin]) {
          for (const { body, headers = {}, method, path } of refused) {
            const answer = yield* call(plane, method, path(acme.projectId), { token, body, headers })
            assert.deepStrictEqual([answer.status, jsonOf(answer)], [409, closing], `${method} ${path("P")}`)
          }
          for (const { body, headers = {}, method, path } of refusedByCluster) {
            const answer = yield* call(plane, method, path(acme.projectId), { token, body, headers })
            assert.deepStrictEqual(
              [answer.status, jsonOf(answer)],
              [409, failed(409, "Conflict", "concurrent_deletion_state", words)],
              `${method} ${path("P")}`
            )
          }
          for (const { body, method, path, status } of read) {
            const answer = yield* call(plane, method, path(acme.projectId), { token, body })
            assert.strictEqual(answer.status, status, `${method} ${path("P")}: ${answer.text}`)
          }
        }
        for (const token of acme.tokens) {
          const answer = yield* call(plane, "GET", "/v1/whoami", { token })
          const body = { detail: "Credential is suspended", code: "credential_suspended" }
          assert.deepStrictEqual([answer.status, jsonOf(answer)], [401, body])
        }
      }

      const again = yield* call("customer", "DELETE", `${project}?confirm=acme`, { token: customerOwner })
      assert.deepStrictEqual([again.status, jsonOf(again)], [409, closing])
      const moved = yield* call("operator", "POST", `/v1/tenants/${acme.projectId}/tier`, {
        token: operator,
        body: { tier: "standard" }
      })
      assert.deepStrictEqual([moved.status, jsonOf(moved)], [409, closing])
      // A key that leaked can be revoked, so that it does not come back with the others.
      const revoked = yield* call("customer", "DELETE", `/v1/credentials/${victim.credential_id}`, {
        token: customerOwner
      })
      assert.strictEqual(revoked.status, 200, revoked.text)

      const cancel = `/v1/tenants/${acme.projectId}/deletion/cancel`
      const cancelled = yield* call("operator", "POST", cancel, { token: operator })
      assert.strictEqual(cancelled.status, 200, cancelled.text)
      const { project: row, restored_credentials } = jsonOf(cancelled)
      assert.deepInclude(row, { state: "live", closing: [] })
      assert.includeMembers(restored_credentials, [...acme.credentialIds])
      assert.notInclude(restored_credentials, victim.credential_id)
      const twice = yield* call("operator", "POST", cancel, { token: operator })
      assert.deepStrictEqual(jsonOf(twice), {
        detail: `Project '${acme.projectId}' is not being deleted`,
        code: "not_being_deleted"
      })

      for (const token of [customerOwner, ...acme.tokens]) {
        assert.strictEqual((yield* call("customer", "GET", "/v1/whoami", { token })).status, 200)
      }
      const written = yield* call("customer", "POST", "/v1/iaas/compute/os-keypairs", {
        token: acme.tokens[1],
        body: { keypair: { name: "back" } }
      })
      assert.strictEqual(written.status, 200)
      const shown = jsonOf(yield* call("customer", "GET", project, { token: customerOwner }))
      assert.deepInclude(shown, { state: "live" })
      assert.strictEqual(shown.deletion.state, "cancelled")
    })
  )
})
