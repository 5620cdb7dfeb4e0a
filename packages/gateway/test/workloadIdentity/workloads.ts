import { fixtures } from "@portico/simulator/Fixtures"
import { Server } from "@portico/simulator/Server"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect } from "effect"
import { operator } from "../harness/Cast.ts"
import { send } from "../harness/http.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"

export const audience = "https://api.portico.example"
export const clusterIssuer = "https://cluster.acme.example"

const kube = Effect.fnUntraced(function* (path: string, body: unknown) {
  return yield* send((yield* Server).url, "POST", `/kubernetes${path}`, {
    token: fixtures.kubernetes.administratorToken,
    body
  })
})

/** The simulated cluster as a tenant's own: its issuer has a name, and verifiers may read its keys. Repeatable. */
export const ownCluster = Effect.gen(function* () {
  const { url } = yield* Server
  const { tokenIssuer } = (yield* SimulatedCloud).world.kubernetes
  tokenIssuer.issuer = clusterIssuer
  yield* kube("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: "verifiers" },
    roleRef: { kind: "ClusterRole", name: "system:service-account-issuer-discovery" },
    subjects: [{ kind: "Group", name: "system:unauthenticated" }]
  })
  return { jwksUri: `${url}/kubernetes/openid/v1/jwks` }
})

/** A token of a service account, as a pod finds it in its file. */
export const podToken = Effect.map(
  kube("/api/v1/namespaces/default/serviceaccounts/default/token", { spec: { audiences: [audience] } }),
  (answer) => String(jsonOf(answer).status.token)
)

/** What an operator registers for a tenant. */
export const issuerOf = (projectId: string, jwksUri: string, change: object = {}) => ({
  issuer: clusterIssuer,
  project_id: projectId,
  tier: 1,
  audience,
  jwks_uri: jwksUri,
  subjects: ["system:serviceaccount:default:*"],
  ...change
})

/** The tenant's mapping of the cluster, made anew unless it is there. */
export const mapped = Effect.fnUntraced(function* (projectId: string, change: object = {}) {
  const { call } = yield* TestGateway
  const { jwksUri } = yield* ownCluster
  const body = issuerOf(projectId, jwksUri, change)
  const made = yield* call("operator", "POST", "/v1/workload-identity/issuers", { token: operator, body })
  return jsonOf(made)
})

/** A workload's Bearer, for what a caller of the tenant and the cluster give it. */
export const workloadToken = Effect.fnUntraced(function* (token: string) {
  const { call } = yield* TestGateway
  const body = { subject_token: yield* podToken }
  const answer = yield* call("customer", "POST", "/v1/workload-identity/token-exchange", { token, body })
  if (answer.status !== 200) return yield* Effect.die(`exchange: ${answer.text}`)
  return String(jsonOf(answer).access_token)
})
