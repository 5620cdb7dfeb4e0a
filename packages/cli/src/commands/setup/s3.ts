import { Effect } from "effect"
import { Command } from "../../effectCli.ts"
import { portico } from "../../Session.ts"
import { endpointOf, targetOf } from "../../setup/connect.ts"
import { follow } from "../../setup/Plan.ts"
import * as flags from "./flags.ts"

const region = flags.region("The region of signatures; the object gateway takes any. us-east-1 when absent")
// With this one, clients send no location when they make a bucket, which Ceph would compare with its zone groups.
const usual = "us-east-1"

const shared = { ...flags.manner, endpoint: flags.endpoint, caFile: flags.caFile }

const reached = Effect.fnUntraced(function* (options: {
  readonly absolute: boolean
  readonly caFile: string | undefined
  readonly endpoint: string | undefined
}) {
  return { target: yield* targetOf(options), endpoint: yield* endpointOf(options.endpoint) }
})

export const aws = Command.make(
  "aws",
  { ...shared, region, name: flags.name("profile in ~/.aws/config") },
  Effect.fnUntraced(function* ({ remove, ...options }) {
    const { aws, withoutAws } = yield* Effect.promise(() => import("../../setup/clients/aws.ts"))
    if (remove) return yield* follow(withoutAws(options), options)
    const { endpoint, target } = yield* reached(options)
    yield* follow(aws(target, { ...options, endpoint, region: options.region ?? usual }), options)
  })
).pipe(
  Command.withShortDescription("~/.aws/config, for aws and the S3 SDKs"),
  Command.withDescription(
    "Writes a profile to ~/.aws/config. It has no secret: the client asks 'portico aws-credentials' for the tenant's " +
      "S3 keys when it needs them."
  ),
  Command.withExamples([
    { command: "portico setup aws", description: "Write the profile 'portico'" },
    { command: "portico setup aws --name acme --dry-run", description: "Show what another name would change" }
  ])
)

export const rclone = Command.make(
  "rclone",
  { ...shared, region, name: flags.name("remote, and of the profile in ~/.aws/config") },
  Effect.fnUntraced(function* ({ remove, ...options }) {
    const { rclone, withoutRclone } = yield* Effect.promise(() => import("../../setup/clients/rclone.ts"))
    if (remove) return yield* follow(withoutRclone(options), options)
    const { endpoint, target } = yield* reached(options)
    yield* follow(rclone(target, { ...options, endpoint, region: options.region ?? usual }), options)
  })
).pipe(
  Command.withShortDescription("rclone.conf, for rclone"),
  Command.withDescription(
    "Writes a remote to rclone.conf, and the profile of 'portico setup aws' beside it, from which rclone takes the keys."
  ),
  Command.withExamples([{ command: "portico setup rclone", description: "Write the remote 'portico:'" }])
)

const keys = Effect.gen(function* () {
  const { use } = yield* portico
  return yield* use((_, signal) => _.objectStorage.credentials({}, { signal }))
})

export const s3cmd = Command.make(
  "s3cmd",
  {
    ...shared,
    name: flags.name("file ~/.s3cfg-<name>, where ~/.s3cfg is in use"),
    storeSecret: flags.storeSecret("the tenant's S3 keys")
  },
  Effect.fnUntraced(function* ({ remove, storeSecret, ...options }) {
    const { s3cmd, withoutS3cmd } = yield* Effect.promise(() => import("../../setup/clients/s3cmd.ts"))
    if (remove) return yield* follow(withoutS3cmd(options), options)
    const { endpoint, target } = yield* reached(options)
    const stored = storeSecret ? { keys: yield* keys } : {}
    yield* follow(s3cmd(target, { ...options, ...stored, endpoint }), options)
  })
).pipe(
  Command.withShortDescription("~/.s3cfg, for s3cmd"),
  Command.withDescription(
    "Writes ~/.s3cfg, or a file beside it when that one is in use. s3cmd knows no helper: 'portico exec --s3' gives it " +
      "the keys in its environment, and --store-secret writes them to the file."
  ),
  Command.withExamples([
    { command: "portico setup s3cmd", description: "Write the file without keys" },
    { command: "portico exec --s3 -- s3cmd ls", description: "Work with it" },
    { command: "portico setup s3cmd --store-secret", description: "Write the keys to the file, too" }
  ])
)
