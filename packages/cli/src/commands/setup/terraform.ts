import { Effect } from "effect"
import { Command, Flag } from "../../effectCli.ts"
import { Session } from "../../Session.ts"
import { targetOf } from "../../setup/connect.ts"
import { follow } from "../../setup/Plan.ts"
import * as flags from "./flags.ts"

export const terraform = Command.make(
  "terraform",
  {
    ...flags.manner,
    name: flags.name("cloud in clouds.yaml"),
    file: Flag.String("file").pipe(
      Flag.withDescription("The file to write, in the folder of the configuration"),
      Flag.withMetavar("file"),
      Flag.withDefault("portico.tf")
    ),
    region: flags.region("The region, if the platform has several"),
    caFile: flags.caFile,
    storeSecret: flags.storeSecret("the token")
  },
  Effect.fnUntraced(function* ({ remove, storeSecret, ...options }) {
    const { terraform, withoutTerraform } = yield* Effect.promise(() => import("../../setup/clients/terraform.ts"))
    if (remove) return yield* follow(withoutTerraform(options), options)
    const target = yield* targetOf(options)
    const token = storeSecret ? yield* (yield* Session).token : undefined
    yield* follow(terraform(target, { ...options, token }), options)
  })
).pipe(
  Command.withShortDescription("A provider block, for terraform and tofu"),
  Command.withDescription(
    "Writes portico.tf with the OpenStack provider to the working directory, and the cloud of 'portico setup openstack' " +
      "that it names."
  ),
  Command.withExamples([
    { command: "portico setup terraform", description: "Write portico.tf" },
    { command: "portico exec -- terraform plan", description: "Work with it" }
  ])
)
