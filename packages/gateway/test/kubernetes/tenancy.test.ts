import { assert, layer } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Effect } from "effect"
import { Cast, operator, type Tenant, tenant } from "../harness/Cast.ts"
import { cluster, Clustered, ClusterTap, failed, home } from "./ClusterTap.ts"
import { withoutChance } from "../harness/http.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

const live = { excludeTestServices: true }

const homeOf = ({ projectId }: Tenant) => `/api/v1/namespaces/db-${projectId}`

/** An administrator is one on the operator plane alone. */
const asked = (token: string, method: string, path: string, body?: unknown) =>
  Effect.flatMap(TestGateway, (_) =>
    _.call(token === operator ? "operator" : "customer", method, `/v1/kubernetes${path}`, { token, body })
  )

layer(Clustered, live)("the identity of the gateway's calls", (it) => {
  const impersonation = (headers: ReadonlyArray<string>) =>
    headers
      .flatMap((name, i) => (i % 2 === 0 ? [`${name.toLowerCase()}: ${headers[i + 1]}`] : []))
      .filter((_) => _.startsWith("impersonate-"))
      .toSorted()

  for (const tier of [0, 1, 2] as const) {
    it.effect(`a tenant's credential of tier ${tier} is a user in the groups of its tenant and tier`, () =>
      Effect.gen(function* () {
        const { acme } = yield* Cast
        const { call } = yield* TestGateway
        const tap = yield* ClusterTap
        const { user_id } = jsonOf(yield* call("customer", "GET", "/v1/whoami", { token: acme.tokens[tier] }))
        yield* tap.forget
        yield* asked(acme.tokens[tier], "GET", "/version")
        const [seen] = yield* tap.seen
        const group = `portico:tenant:${acme.projectId}`
        assert.deepStrictEqual(
          impersonation(seen?.rawHeaders ?? []),
          [
            `impersonate-extra-portico-credential: ${acme.credentialIds[tier]}`,
            `impersonate-group: ${group}`,
            ...(tier > 0 ? [`impersonate-group: ${group}:operate`] : []),
            `impersonate-group: portico:tier:${tier}`,
            `impersonate-user: portico:${user_id}`
          ].toSorted()
        )
        assert.strictEqual(seen?.headers.authorization, "Bearer kubernetes-token-of-the-gateway")
      })
    )
  }

  it.effect("a platform administrator is in the administrators' group alone", () =>
    Effect.gen(function* () {
      const tap = yield* ClusterTap
      yield* tap.forget
      yield* asked(operator, "GET", "/version")
      assert.deepStrictEqual(impersonation((yield* tap.seen)[0]?.rawHeaders ?? []), [
        "impersonate-group: portico:platform-admins",
        "impersonate-user: portico:100000000000000005"
      ])
    })
  )

  it.effect("an administrator may do everything, once the group has the documented binding", () =>
    Effect.gen(function* () {
      const { items } = jsonOf(yield* asked(operator, "GET", "/api/v1/nodes"))
      assert.lengthOf(items, 1)
      const made = yield* asked(operator, "POST", "/api/v1/namespaces", { metadata: { name: "of-the-operator" } })
      assert.strictEqual(made.status, 201, made.text)
    })
  )

  it.effect("the cluster sees exactly that identity", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
      const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }
      const { userInfo } = jsonOf(yield* asked(acme.tokens[0], "POST", path, body)).status
      assert.sameMembers(userInfo.groups, [
        `portico:tenant:${acme.projectId}`,
        "portico:tier:0",
        "system:authenticated"
      ])
    })
  )

  it.effect("a client's claims of identity are dropped, in any spelling", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const tap = yield* ClusterTap
      const claims = [
        "Impersonate-User",
        "Impersonate-Group",
        "Impersonate-Uid",
        "Impersonate-Extra-Scopes",
        "X-Remote-User",
        "X-Remote-Group",
        "X-Remote-Extra-Scopes",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "X-Forwarded-Uri",
        "Forwarded",
        "Cookie",
        "Proxy-Authorization",
        "X-Http-Method-Override"
      ]
      const names = [...claims, ...claims.map((_) => _.replaceAll("-", "_")), "iMPERSONATE-uSER", "impersonate_Group"]
      const headers = {
        ...Object.fromEntries(names.map((_) => [_, "system:masters"])),
        connection: "x-hop, Authorization, Impersonate-User, Impersonate-Group, Impersonate-Extra-Portico-Credential",
        "x-hop": "system:masters",
        "sec-websocket-protocol": "v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.c3lzdGVtOm1hc3RlcnM"
      }
      yield* tap.forget
      const answer = yield* cluster("GET", "/version", { token: acme.tokens[2], headers })
      assert.strictEqual(answer.status, 200)
      const [seen] = yield* tap.seen
      const sent = JSON.stringify(seen?.rawHeaders)
      for (const word of ["system:masters", "c3lzdGVt", acme.tokens[2]]) assert.notInclude(sent, word)
      assert.strictEqual(seen?.headers["sec-websocket-protocol"], "v5.channel.k8s.io")
      assert.strictEqual(seen?.headers.authorization, "Bearer kubernetes-token-of-the-gateway")
      assert.deepStrictEqual(
        impersonation(seen?.rawHeaders ?? []).map((_) => _.split(": ")[0]),
        [
          "impersonate-extra-portico-credential",
          "impersonate-group",
          "impersonate-group",
          "impersonate-group",
          "impersonate-user"
        ]
      )
    })
  )
})

layer(Clustered, live)("a tenant's namespace", (it) => {
  it.effect("is created by the first write, with its limits, not by reads or refused writes", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { world } = yield* SimulatedCloud
      const own = homeOf(acme)
      const namespaces = () => Object.keys(world.kubernetes.objects["namespaces"] ?? {})
      const before = namespaces()
      const detail = `The namespace 'db-${acme.projectId}' holds nothing yet: the first write into it makes it`
      for (const [method, path] of [
        ["GET", "/configmaps"],
        ["GET", "/configmaps/mine"],
        ["GET", "/configmaps?watch=1"],
        ["DELETE", "/configmaps/mine"],
        ["GET", ""]
      ] as const) {
        const answer = yield* asked(acme.tokens[2], method, own + path)
        assert.deepStrictEqual(jsonOf(answer), failed(404, "NotFound", "namespace_unused", detail))
      }
      yield* asked(acme.tokens[0], "POST", `${own}/configmaps`, { metadata: { name: "mine" } })
      yield* asked(acme.tokens[2], "POST", `${own}/resourcequotas`, { metadata: { name: "mine" } })
      assert.deepStrictEqual(namespaces(), before)

      const made = yield* asked(acme.tokens[1], "POST", `${own}/configmaps`, { metadata: { name: "mine" } })
      assert.strictEqual(made.status, 201, made.text)
      assert.sameMembers(namespaces(), [...before, `/db-${acme.projectId}`])

      const shown = (path: string) => Effect.map(asked(acme.tokens[0], "GET", own + path), jsonOf)
      const { labels } = (yield* shown("")).metadata
      assert.deepInclude(labels, {
        "app.kubernetes.io/managed-by": "portico",
        "portico/project-id": acme.projectId,
        "pod-security.kubernetes.io/enforce": "baseline"
      })
      assert.deepInclude((yield* shown("/resourcequotas/tenant-quota")).spec.hard, {
        persistentvolumeclaims: "8",
        "requests.storage": "100Gi",
        "limits.cpu": "18",
        "services.nodeports": "0"
      })
      assert.deepStrictEqual((yield* shown("/limitranges/tenant-defaults")).spec.limits, [
        {
          type: "Container",
          defaultRequest: { cpu: "50m", memory: "128Mi" },
          default: { cpu: "500m", memory: "512Mi" }
        }
      ])
    })
  )

  it.effect("is written once for concurrent writes", () =>
    Effect.gen(function* () {
      const initech = yield* tenant("Initech")
      const tap = yield* ClusterTap
      yield* tap.forget
      const names = ["a", "b", "c", "d", "e", "f", "g", "h"]
      const write = (name: string) =>
        asked(initech.tokens[1], "POST", `${homeOf(initech)}/configmaps`, { metadata: { name } })
      const answers = yield* Effect.forEach(names, write, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        answers.map((_) => _.status),
        names.map(() => 201)
      )
      const own = (yield* tap.own).filter((_) => _.method === "PATCH")
      assert.strictEqual(own.length, new Set(own.map((_) => _.url)).size)
      yield* tap.forget
      yield* write("i")
      assert.deepStrictEqual(yield* tap.own, [])
    })
  )

  it.effect("of a suspended tenant refuses writes, and cannot grow around the gateway either", () =>
    Effect.gen(function* () {
      const hooli = yield* tenant("Hooli")
      const { call } = yield* TestGateway
      yield* asked(hooli.tokens[1], "POST", `${homeOf(hooli)}/configmaps`, { metadata: { name: "mine" } })
      yield* call("operator", "POST", `/v1/tenants/${hooli.projectId}/suspend`, { token: operator })
      const claim = {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
      }
      const refused = yield* asked(hooli.tokens[1], "POST", `${homeOf(hooli)}/persistentvolumeclaims`, claim)
      assert.deepStrictEqual([refused.status, jsonOf(refused).details.causes[0].reason], [403, "tenant_suspended"])
      const within = yield* asked(operator, "POST", `${homeOf(hooli)}/persistentvolumeclaims`, claim)
      assert.strictEqual(within.status, 403)
      assert.include(jsonOf(within).message, "exceeded quota: tenant-quota")
    })
  )

  it.effect("of a suspended tenant refuses PUTs that would create an object", () =>
    Effect.gen(function* () {
      const raviga = yield* tenant("Raviga")
      const { call } = yield* TestGateway
      const service = (name: string, port: number) => ({ metadata: { name }, spec: { ports: [{ port }] } })
      const put = (name: string, port: number) =>
        asked(raviga.tokens[1], "PUT", `${homeOf(raviga)}/services/${name}`, service(name, port))
      assert.strictEqual((yield* put("before", 80)).status, 201)
      yield* call("operator", "POST", `/v1/tenants/${raviga.projectId}/suspend`, { token: operator })
      const { world } = yield* SimulatedCloud
      const refused = yield* put("after", 80)
      assert.deepStrictEqual([refused.status, jsonOf(refused).details?.causes[0].reason], [403, "tenant_suspended"])
      assert.notInclude(Object.keys(world.kubernetes.objects["services"] ?? {}).join(" "), "/after")
      // A PUT makes no disruption budget: it goes on, and the cluster, which has none, says so.
      const budgets = `${homeOf(raviga).replace("/api/v1", "/apis/policy/v1")}/poddisruptionbudgets`
      assert.strictEqual(
        (yield* asked(raviga.tokens[1], "PUT", `${budgets}/web`, { metadata: { name: "web" } })).status,
        404
      )
    })
  )

  it.effect("is not created for a project that was never onboarded, or whose id is not a valid name", () =>
    Effect.gen(function* () {
      const { tenants } = yield* Memory
      const pied = yield* tenant("Pied Piper")
      const tap = yield* ClusterTap
      tenants.delete(pied.projectId)
      yield* tap.forget
      const refused = yield* asked(pied.tokens[2], "POST", `${homeOf(pied)}/configmaps`, { metadata: { name: "x" } })
      assert.strictEqual(refused.status, 403)
      assert.deepStrictEqual(yield* tap.own, [])
    })
  )

  it.effect("stays half done when the cluster refuses a part; the next write completes it", () =>
    Effect.gen(function* () {
      const umbrella = yield* tenant("Umbrella")
      const cloud = yield* SimulatedCloud
      const path = "/apis/rbac.authorization.k8s.io/v1/namespaces/*/rolebindings/*"
      yield* cloud.fault({ service: "kubernetes", method: "PATCH", path, when: "before", as: { status: 403 } })
      const write = asked(umbrella.tokens[1], "POST", `${homeOf(umbrella)}/configmaps`, { metadata: { name: "mine" } })
      const refused = yield* write
      assert.deepInclude(jsonOf(refused), { code: 502, status: "Failure" })
      assert.strictEqual(jsonOf(refused).details.causes[0].reason, "upstream_failed")
      assert.strictEqual((yield* write).status, 201)
    })
  )
})

layer(Clustered, live)("two tenants", (it) => {
  it.effect("each see their own resources alone", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const kinds = ["configmaps", "secrets", "services", "persistentvolumeclaims"] as const
      const bodies = {
        configmaps: {},
        secrets: { stringData: { password: "hunter2" } },
        services: { spec: { ports: [{ port: 80 }] } },
        persistentvolumeclaims: {
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
        }
      }
      for (const kind of kinds) {
        for (const one of [acme, globex]) {
          const body = { metadata: { name: `of-${one.name.toLowerCase()}` }, ...bodies[kind] }
          const made = yield* asked(one.tokens[1], "POST", `${homeOf(one)}/${kind}`, body)
          assert.strictEqual(made.status, 201, made.text)
        }
        for (const [one, other] of [
          [acme, globex],
          [globex, acme]
        ] as const) {
          const mine = jsonOf(yield* asked(one.tokens[2], "GET", `${homeOf(one)}/${kind}`))
          const names = mine.items.map((_: { metadata: { name: string } }) => _.metadata.name)
          assert.include(names, `of-${one.name.toLowerCase()}`)
          assert.notInclude(names, `of-${other.name.toLowerCase()}`)
          for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
            const there = yield* asked(one.tokens[2], method, `${homeOf(other)}/${kind}/of-${other.name.toLowerCase()}`)
            const nowhere = yield* asked(one.tokens[2], method, "/api/v1/namespaces/db-nobody/configmaps/nothing")
            assert.strictEqual(there.status, 404)
            assert.deepStrictEqual(withoutChance(there), withoutChance(nowhere))
          }
        }
      }
    })
  )

  it.effect("are isolated by the cluster too, if the proxy passed one on", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const review = (namespace: string, resource: string, verb: string) => ({
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes: { namespace, resource, verb } }
      })
      const allowed = Effect.fnUntraced(function* (token: string, of: ReturnType<typeof review>) {
        const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
        return jsonOf(yield* asked(token, "POST", path, of)).status.allowed
      })
      const own = `db-${acme.projectId}`
      const table = [
        [0, own, "pods", "list", true],
        [0, own, "pods", "create", false],
        [0, own, "secrets", "get", false],
        [1, own, "pods", "create", true],
        [1, own, "secrets", "get", true],
        [2, own, "rolebindings", "create", false],
        [2, own, "resourcequotas", "delete", false],
        [2, `db-${globex.projectId}`, "pods", "list", false],
        [2, "kube-system", "secrets", "get", false],
        [2, "", "nodes", "list", false]
      ] as const
      for (const [tier, namespace, resource, verb, wanted] of table) {
        const may = yield* allowed(acme.tokens[tier], review(namespace, resource, verb))
        assert.strictEqual(may, wanted, `tier ${tier}: ${verb} ${resource} in ${namespace}`)
      }
    })
  )

  it.effect("get the cluster's refusals unchanged", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const absent = yield* cluster("GET", `${yield* home}/configmaps/none`)
      assert.deepInclude(jsonOf(absent), { message: 'configmaps "none" not found', reason: "NotFound", code: 404 })
      assert.notProperty(jsonOf(absent), "detail")
      const invalid = yield* asked(acme.tokens[1], "POST", `${yield* home}/configmaps`, { metadata: { name: "A_b" } })
      assert.deepInclude(jsonOf(invalid), { reason: "Invalid", code: 422 })
      const twice = { metadata: { name: "twice" } }
      yield* asked(acme.tokens[1], "POST", `${yield* home}/configmaps`, twice)
      const conflict = yield* asked(acme.tokens[1], "POST", `${yield* home}/configmaps`, twice)
      assert.deepInclude(jsonOf(conflict), { reason: "AlreadyExists", code: 409 })
    })
  )

  it.effect("page through long lists with the cluster's own continuation", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const configMaps = `${yield* home}/configmaps`
      for (const name of ["p1", "p2", "p3"]) {
        yield* asked(acme.tokens[1], "POST", configMaps, { metadata: { name, labels: { page: "yes" } } })
      }
      const names: Array<string> = []
      let next = ""
      do {
        const token: string = next === "" ? "" : `&continue=${encodeURIComponent(next)}`
        const page = jsonOf(yield* cluster("GET", `${configMaps}?labelSelector=page%3Dyes&limit=2${token}`))
        names.push(...page.items.map((_: { metadata: { name: string } }) => _.metadata.name))
        next = page.metadata.continue ?? ""
      } while (next !== "")
      assert.deepStrictEqual(names, ["p1", "p2", "p3"])
    })
  )
})
