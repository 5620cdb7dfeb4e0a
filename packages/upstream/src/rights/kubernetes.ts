import { Effect, Option, Schema } from "effect"
import { kinds } from "../kubernetes/kinds.ts"
import { Kubernetes } from "../kubernetes/Kubernetes.ts"
import type { Missing, Rights } from "./Missing.ts"

/** A rule of a ClusterRole. */
export interface ClusterRule {
  readonly apiGroups: ReadonlyArray<string>
  /** With its subresource behind a slash. */
  readonly resources: ReadonlyArray<string>
  readonly resourceNames?: ReadonlyArray<string>
  readonly verbs: ReadonlyArray<string>
}

/** What the gateway's account needs in the cluster. docs/operators/kubernetes.md and the chart have the same rules. */
export const clusterRules: ReadonlyArray<ClusterRule> = [
  // Acting as callers.
  { apiGroups: [""], resources: ["users", "groups"], verbs: ["impersonate"] },
  { apiGroups: ["authentication.k8s.io"], resources: ["userextras/portico-credential"], verbs: ["impersonate"] },
  // Making the namespaces of tenants, and removing those of deleted ones.
  { apiGroups: [""], resources: ["namespaces"], verbs: ["get", "create", "patch", "delete"] },
  {
    apiGroups: [""],
    resources: ["resourcequotas", "limitranges", "serviceaccounts"],
    verbs: ["get", "create", "patch"]
  },
  { apiGroups: ["rbac.authorization.k8s.io"], resources: ["rolebindings"], verbs: ["get", "create", "patch"] },
  { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: ["get", "create", "patch"] },
  // Where the API server is, as a source of network policies.
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list"] },
  {
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["clusterroles"],
    resourceNames: ["view", "edit"],
    verbs: ["bind"]
  },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
  // Which Secrets belong to managed databases, and the passwords and keys in them.
  { apiGroups: [""], resources: ["secrets"], verbs: ["get", "create", "patch", "delete"] },
  // Managed databases.
  {
    apiGroups: ["postgresql.cnpg.io"],
    resources: ["clusters", "scheduledbackups"],
    verbs: ["get", "list", "create", "patch", "delete"]
  },
  { apiGroups: ["postgresql.cnpg.io"], resources: ["backups"], verbs: ["list"] },
  {
    apiGroups: ["kafka.strimzi.io"],
    resources: ["kafkas", "kafkanodepools"],
    verbs: ["get", "list", "create", "patch", "delete"]
  },
  { apiGroups: [""], resources: ["persistentvolumeclaims", "events"], verbs: ["list"] },
  // Exposures.
  { apiGroups: [""], resources: ["services"], verbs: ["get", "list", "create", "patch", "delete"] },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["create", "patch", "delete"] },
  {
    apiGroups: ["gateway.networking.k8s.io"],
    resources: ["httproutes"],
    verbs: ["get", "list", "create", "patch", "delete"]
  },
  {
    apiGroups: ["gateway.networking.k8s.io"],
    resources: ["referencegrants"],
    verbs: ["list", "create", "patch", "delete"]
  }
]

interface Action {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
}

const actionsOf = ({ apiGroups, resourceNames = [""], resources, verbs }: ClusterRule): ReadonlyArray<Action> =>
  apiGroups.flatMap((group) =>
    resources.flatMap((path) => {
      const [resource = "", subresource = ""] = path.split("/")
      return verbs.flatMap((verb) => resourceNames.map((name) => ({ verb, group, resource, subresource, name })))
    })
  )

const wordsOf = ({ group, name, resource, subresource, verb }: Action): string =>
  `${verb} ${resource}${subresource === "" ? "" : `/${subresource}`}${name === "" ? "" : ` ${name}`}${group === "" ? "" : ` of ${group}`}`

const Review = Schema.Struct({ status: Schema.Struct({ allowed: Schema.Boolean }) })
const decode = Schema.decodeUnknownOption(Review)

/** Reviews that are asked for at once. */
const concurrency = 8

/** Asks the cluster about every right by a SelfSubjectAccessReview, which it answers and does not store. */
export const kubernetesRights = Effect.gen(function* () {
  const { create } = yield* Kubernetes
  const isAllowed = (action: Action) =>
    Effect.map(
      create(kinds.selfSubjectAccessReview, {}, { fields: { spec: { resourceAttributes: action } } }),
      (review) => Option.exists(decode(review), (_) => _.status.allowed)
    )
  const rights: Rights = Effect.map(
    Effect.filter(clusterRules.flatMap(actionsOf), (_) => Effect.map(isAllowed(_), (may) => !may), { concurrency }),
    (refused): ReadonlyArray<Missing> =>
      refused.length === 0
        ? []
        : [
            {
              what: `the right to ${refused.map(wordsOf).join(", ")} in the cluster`,
              fix: "Bind the ClusterRole of docs/operators/kubernetes.md to the account of KUBERNETES_TOKEN"
            }
          ]
  )
  return { kubernetes: rights }
})
