import { Clock, DateTime, Duration, Effect } from "effect"
import { Command } from "../effectCli.ts"
import { Screen } from "../Screen.ts"
import { portico } from "../Session.ts"

/** S3 keys have no end, but may be rotated: a client that runs for long asks again. */
const askAgain = Duration.toMillis(Duration.hours(1))

export const awsCredentials = Command.make(
  "aws-credentials",
  {},
  Effect.fnUntraced(function* () {
    const { use } = yield* portico
    const { print } = yield* Screen
    const keys = yield* use((_, signal) => _.objectStorage.credentials({}, { signal }))
    const Expiration = DateTime.formatIso(DateTime.makeUnsafe((yield* Clock.currentTimeMillis) + askAgain))
    yield* print(
      JSON.stringify({ Version: 1, AccessKeyId: keys.access_key, SecretAccessKey: keys.secret_key, Expiration })
    )
  })
).pipe(
  Command.withShortDescription("Print the tenant's S3 keys for aws, which starts this by itself"),
  Command.withDescription(
    "A credential_process of the AWS clients: prints the tenant's current S3 keys. 'portico setup aws' names it in " +
      "~/.aws/config. Each run leaves an audit record, and agents' credentials are refused."
  ),
  Command.withExamples([{ command: "portico aws-credentials", description: "What aws reads" }])
)
