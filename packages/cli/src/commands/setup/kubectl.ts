import { Effect } from "effect"
import { Command } from "../../effectCli.ts"
import { portico } from "../../Session.ts"
import { targetOf } from "../../setup/connect.ts"
import { follow } from "../../setup/Plan.ts"
import * as flags from "./flags.ts"

const files = Effect.promise(() => import("../../setup/clients/kubectl.ts"))

/** Its name is made of the project's id. */
const ownNamespace = Effect.gen(function* () {
  const { use } = yield* portico
  const { tenant } = yield* use((_, signal) => _.identity.whoami({}, { signal }))
  return tenant === null ? undefined : `db-${tenant.id}`
})

export const kubectl = Command.make(
  "kubectl",
  {
    ...flags.manner,
    name: flags.name("cluster, the user and the context"),
    namespace: flags.optionalText("namespace", "name", "The namespace of the context. Otherwise the tenant's own"),
    use: flags.flag("use", "Make the context the current one, in place of another one"),
    caFile: flags.caFile
  },
  Effect.fnUntraced(function* ({ remove, ...options }) {
    const { kubectl, withoutKubectl } = yield* files
    if (remove) return yield* follow(withoutKubectl(options), options)
    const target = yield* targetOf(options)
    const namespace = options.namespace ?? (yield* ownNamespace)
    yield* follow(kubectl(target, { ...options, namespace }), options)
  })
).pipe(
  Command.withShortDescription("kubeconfig, for kubectl, helm and k9s"),
  Command.withDescription(
    "Writes a cluster, a user and a context to the kubeconfig. The user has no secret: kubectl asks 'portico " +
      "kubectl-token' for a token when it needs one."
  ),
  Command.withExamples([
    { command: "portico setup kubectl", description: "Write the context 'portico'" },
    { command: "portico setup kubectl --name acme --use", description: "Another name, and make it the current one" },
    { command: "portico setup kubectl --remove", description: "Remove it again" }
  ])
)
