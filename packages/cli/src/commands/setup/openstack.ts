import { Effect } from "effect"
import { Command } from "../../effectCli.ts"
import { portico, Session } from "../../Session.ts"
import { Screen } from "../../Screen.ts"
import { targetOf } from "../../setup/connect.ts"
import { follow } from "../../setup/Plan.ts"
import * as flags from "./flags.ts"

const files = Effect.promise(() => import("../../setup/clients/openstack.ts"))

/** Keystone's version document is a 300 where the gateway speaks to OpenStack's own clients. */
const warnWhenOff = Effect.gen(function* () {
  const { use } = yield* portico
  const { note } = yield* Screen
  const { status } = yield* use((_, signal) => _.fetch("/v1/iaas/identity", { signal, redirect: "manual" }))
  if (status === 300) return
  yield* note("The platform does not let OpenStack's own clients in: its operator sets OPENSTACK_COMPATIBILITY=true.")
})

export const openstack = Command.make(
  "openstack",
  {
    ...flags.manner,
    name: flags.name("cloud in clouds.yaml"),
    region: flags.region("The region, if the platform has several"),
    caFile: flags.caFile,
    storeSecret: flags.storeSecret("the token")
  },
  Effect.fnUntraced(function* ({ remove, storeSecret, ...options }) {
    const { openstack, withoutOpenstack } = yield* files
    if (remove) return yield* follow(withoutOpenstack(options), options)
    const target = yield* targetOf(options)
    if (!options.print) yield* warnWhenOff
    const token = storeSecret ? yield* (yield* Session).token : undefined
    yield* follow(openstack(target, { ...options, token }), options)
  })
).pipe(
  Command.withShortDescription("clouds.yaml, for openstack and its SDKs"),
  Command.withDescription(
    "Writes a cloud to clouds.yaml. It has no secret: 'portico exec' gives the client a token. With --store-secret the " +
      "token goes to secure.yaml."
  ),
  Command.withExamples([
    { command: "portico setup openstack", description: "Write the cloud 'portico'" },
    { command: "portico setup openstack --dry-run", description: "Show what would change" },
    { command: "portico exec -- openstack --os-cloud portico server list", description: "Work with it" }
  ])
)
