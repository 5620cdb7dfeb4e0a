import { assert, it } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ask } from "./ask.ts"
import { configMap, kube, namespaceOf, podOf } from "./kube.ts"

const rbac = "/apis/rbac.authorization.k8s.io/v1"
const Memory = SimulatedCloud.layerMemory

it.effect("a call without a valid account token is 401", () =>
  Effect.gen(function* () {
    for (const headers of [
      {},
      { authorization: "Bearer none" },
      { authorization: "Bearer a.b.c" },
      { "x-remote-user": "admin" }
    ]) {
      const refused = yield* ask("GET", "/kubernetes/api/v1/pods", { headers })
      assert.deepStrictEqual([refused.status, refused.json.reason], [401, "Unauthorized"])
    }
  }).pipe(Effect.provide(Memory))
)

it.effect("an impersonated user may do exactly what the roles say", () =>
  Effect.gen(function* () {
    yield* namespaceOf("acme", "ann", "view")
    yield* namespaceOf("globex", "bob", "edit")
    yield* kube("POST", "/api/v1/namespaces/globex/pods", { json: podOf("web") })
    const table: ReadonlyArray<readonly [string, string, string, string]> = [
      ["ann", "GET", "/api/v1/namespaces/acme/pods", ""],
      ["ann", "GET", "/api/v1/namespaces/acme", ""],
      ["ann", "GET", "/api", ""],
      ["ann", "GET", "/metrics", 'forbidden: User "ann" cannot get path "/metrics"'],
      [
        "ann",
        "GET",
        "/api/v1/pods",
        'pods is forbidden: User "ann" cannot list resource "pods" in API group "" at the cluster scope'
      ],
      [
        "ann",
        "GET",
        "/api/v1/namespaces/globex/pods/web",
        'pods "web" is forbidden: User "ann" cannot get resource "pods" in API group "" in the namespace "globex"'
      ],
      [
        "ann",
        "GET",
        "/api/v1/namespaces/acme/secrets",
        'secrets is forbidden: User "ann" cannot list resource "secrets" in API group "" in the namespace "acme"'
      ],
      [
        "ann",
        "DELETE",
        "/apis/apps/v1/namespaces/acme/deployments",
        'deployments.apps is forbidden: User "ann" cannot deletecollection resource "deployments" in API group "apps" in the namespace "acme"'
      ],
      [
        "ann",
        "GET",
        "/api/v1/namespaces/globex",
        'namespaces "globex" is forbidden: User "ann" cannot get resource "namespaces" in API group "" in the namespace "globex"'
      ],
      [
        "ann",
        "GET",
        "/api/v1/namespaces/globex/pods/web/exec?command=sh",
        'pods "web" is forbidden: User "ann" cannot get resource "pods/exec" in API group "" in the namespace "globex"'
      ],
      [
        "bob",
        "GET",
        "/apis/postgresql.cnpg.io/v1/namespaces/globex/clusters",
        'clusters.postgresql.cnpg.io is forbidden: User "bob" cannot list resource "clusters" in API group "postgresql.cnpg.io" in the namespace "globex"'
      ],
      ["bob", "GET", "/api/v1/namespaces/globex/secrets", ""],
      [
        "ann",
        "GET",
        "/api/v1/namespaces/globex/pods?watch",
        'pods is forbidden: User "ann" cannot watch resource "pods" in API group "" in the namespace "globex"'
      ]
    ]
    for (const [as, method, path, words] of table) {
      const answer = yield* kube(method, path, { as })
      assert.deepStrictEqual(
        [answer.status, answer.json?.message ?? ""],
        words === "" ? [200, ""] : [403, words],
        `${as} ${path}`
      )
    }
  }).pipe(Effect.provide(Memory))
)

it.effect("a method without an API verb is 403 without full rights, and mostly 405 with them", () =>
  Effect.gen(function* () {
    yield* namespaceOf("acme", "ann", "edit")
    const pods = "/api/v1/namespaces/acme/pods"
    const table = [
      ["ann", "OPTIONS", "/version", 403, 'forbidden: User "ann" cannot options path "/version"'],
      ["ann", "OPTIONS", pods, 403, 'pods is forbidden: User "ann" cannot  resource "pods" in API group ""'],
      ["ann", "HEAD", pods, 405, ""],
      ["ann", "HEAD", "/version", 403, ""],
      ["", "HEAD", "/version", 405, ""],
      ["", "HEAD", "/openapi/v2", 200, ""],
      ["", "OPTIONS", "/version", 405, "the server does not allow this method on the requested resource"],
      ["", "OPTIONS", pods, 405, "the server does not allow this method on the requested resource"],
      ["", "OPTIONS", `${pods}/none/proxy/x`, 404, 'pods "none" not found'],
      ["", "HEAD", "/apis/postgresql.cnpg.io/v1/namespaces/acme/clusters", 200, ""]
    ] as const
    for (const [as, method, path, status, words] of table) {
      const answer = yield* kube(method, path, as === "" ? {} : { as })
      assert.strictEqual(answer.status, status, `${as} ${method} ${path}`)
      if (words !== "") assert.include(answer.json.message, words)
    }
  }).pipe(Effect.provide(Memory))
)

it.effect("roles distinguish sub-resources, names and wildcards", () =>
  Effect.gen(function* () {
    const configMaps = "/api/v1/namespaces/default/configmaps"
    for (const name of ["a", "b"]) yield* kube("POST", configMaps, { json: configMap(name) })
    yield* kube("POST", `${rbac}/namespaces/default/roles`, {
      json: {
        metadata: { name: "narrow" },
        rules: [
          { apiGroups: [""], resources: ["configmaps"], resourceNames: ["a"], verbs: ["get", "list", "delete"] },
          { apiGroups: [""], resources: ["pods/log"], verbs: ["*"] },
          { apiGroups: ["apps"], resources: ["*"], verbs: ["get"] }
        ]
      }
    })
    yield* kube("POST", `${rbac}/namespaces/default/rolebindings`, {
      json: {
        metadata: { name: "narrow" },
        subjects: [{ kind: "Group", name: "team" }],
        roleRef: { kind: "Role", name: "narrow" }
      }
    })
    const status = (method: string, path: string) =>
      Effect.map(kube(method, path, { as: "ann", groups: "other, team" }), (_) => _.status)
    const table: ReadonlyArray<readonly [string, string, number]> = [
      ["GET", `${configMaps}/a`, 200],
      ["GET", `${configMaps}/b`, 403],
      ["GET", configMaps, 403],
      ["GET", `${configMaps}?fieldSelector=metadata.name%3Da`, 200],
      ["POST", configMaps, 403],
      ["GET", "/api/v1/namespaces/default/pods/p/log", 404],
      ["GET", "/api/v1/namespaces/default/pods/p", 403],
      ["GET", "/apis/apps/v1/namespaces/default/deployments/d/scale", 404],
      ["DELETE", `${configMaps}/a`, 200]
    ]
    for (const [method, path, expected] of table)
      assert.strictEqual(yield* status(method, path), expected, `${method} ${path}`)
    yield* kube("DELETE", `${rbac}/namespaces/default/roles/narrow`)
    const lost = yield* kube("GET", `${configMaps}/b`, { as: "ann", groups: "team" })
    assert.include(lost.json.message, ': RBAC: role.rbac.authorization.k8s.io "narrow" not found')
  }).pipe(Effect.provide(Memory))
)

it.effect("a group, uid or extra without a user is 500; a user is always authenticated", () =>
  Effect.gen(function* () {
    const alone = yield* kube("GET", "/api/v1/pods", { groups: "system:masters" })
    assert.strictEqual(alone.status, 500)
    assert.strictEqual(
      alone.body,
      'Internal Server Error: "/api/v1/pods": requested [{Group  system:masters    }] without impersonating a user\n'
    )
    assert.strictEqual((yield* kube("GET", "/api/v1/pods", { headers: { "impersonate-uid": "1" } })).status, 500)
    assert.strictEqual((yield* kube("GET", "/api/v1/pods", { headers: { "impersonate-extra-a": "1" } })).status, 500)
    assert.strictEqual((yield* kube("GET", "/api/v1/pods", { as: "ann", groups: "system:masters" })).status, 200)
    const review = yield* kube("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      as: "ann",
      groups: "a, b",
      headers: { "impersonate-uid": "7", "impersonate-extra-tenant%2Fid": "acme" },
      json: {}
    })
    assert.deepStrictEqual(review.json.status.userInfo, {
      username: "ann",
      uid: "7",
      groups: ["a", "b", "system:authenticated"],
      extra: { "tenant/id": ["acme"] }
    })
  }).pipe(Effect.provide(Memory))
)

it.effect("an account acts by its token while that lasts, and impersonates only whom it may", () =>
  Effect.gen(function* () {
    yield* namespaceOf("acme", "ann", "edit")
    const account = "/api/v1/namespaces/acme/serviceaccounts/default"
    const token = yield* kube("POST", `${account}/token`, { as: "ann", json: { spec: { expirationSeconds: 600 } } })
    const authorization = `Bearer ${token.json.status.token}`
    const asAccount = (headers = {}) =>
      ask("GET", "/kubernetes/api/v1/namespaces/acme/pods", { headers: { authorization, ...headers } })
    assert.include((yield* asAccount()).json.message, 'User "system:serviceaccount:acme:default" cannot list')
    assert.strictEqual(
      (yield* asAccount({ "impersonate-user": "ann" })).json.message,
      'users "ann" is forbidden: User "system:serviceaccount:acme:default" cannot impersonate resource "users" in API ' +
        'group "" at the cluster scope'
    )
    yield* TestClock.adjust("10 minutes")
    assert.strictEqual((yield* asAccount()).status, 401)
    const foreign = yield* kube("POST", `${account}/token`, { json: { spec: { audiences: ["gateway"] } } })
    const elsewhere = { authorization: `Bearer ${foreign.json.status.token}` }
    assert.strictEqual((yield* ask("GET", "/kubernetes/api", { headers: elsewhere })).status, 401)
  }).pipe(Effect.provide(Memory))
)

it.effect("a user cannot grant rights that it does not hold", () =>
  Effect.gen(function* () {
    yield* namespaceOf("acme", "ann", "admin")
    const bind = (name: string) =>
      kube("POST", `${rbac}/namespaces/acme/rolebindings`, {
        as: "ann",
        json: {
          metadata: { name },
          subjects: [{ kind: "User", name: "eve" }],
          roleRef: { kind: "ClusterRole", name }
        }
      })
    assert.strictEqual((yield* bind("edit")).status, 201)
    const refused = yield* bind("cluster-admin")
    assert.deepStrictEqual(
      [refused.status, refused.json.message],
      [
        403,
        'rolebindings.rbac.authorization.k8s.io "cluster-admin" is forbidden: user "ann" (groups=["system:authenticated"]) is ' +
          'attempting to grant RBAC permissions not currently held:\n{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n' +
          '{NonResourceURLs:["*"], Verbs:["*"]}'
      ]
    )
    const role = (rules: unknown) =>
      kube("POST", `${rbac}/namespaces/acme/roles`, { as: "ann", json: { metadata: { name: "r" }, rules } })
    const clusters = [{ apiGroups: ["postgresql.cnpg.io"], resources: ["clusters"], verbs: ["get"] }]
    assert.strictEqual((yield* role(clusters)).status, 403)
    assert.strictEqual((yield* role([{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }])).status, 201)
  }).pipe(Effect.provide(Memory))
)

it.effect("access reviews answer as the roles do", () =>
  Effect.gen(function* () {
    yield* namespaceOf("acme", "ann", "view")
    const may = (verb: string, resource: string, namespace: string, subresource = "") =>
      Effect.map(
        kube("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
          as: "ann",
          json: { spec: { resourceAttributes: { verb, resource, namespace, subresource } } }
        }),
        (_) => _.json.status.allowed
      )
    assert.deepStrictEqual(
      [
        yield* may("list", "pods", "acme"),
        yield* may("create", "pods", "acme"),
        yield* may("get", "pods", "acme", "log"),
        yield* may("get", "pods", "acme", "exec"),
        yield* may("list", "pods", "default")
      ],
      [true, false, true, false, false]
    )
    const rules = yield* kube("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
      as: "ann",
      json: { spec: { namespace: "acme" } }
    })
    assert.deepInclude(rules.json.status.resourceRules, {
      verbs: ["create"],
      apiGroups: ["authentication.k8s.io"],
      resources: ["selfsubjectreviews"]
    })
  }).pipe(Effect.provide(Memory))
)
