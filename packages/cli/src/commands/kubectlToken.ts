import { DateTime, Effect, Option, Schema } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { Command } from "../effectCli.ts"
import { Screen } from "../Screen.ts"
import { Session } from "../Session.ts"
import { keepUntil } from "../setup/lifetime.ts"
import { variable } from "../setup/surroundings.ts"

/** What kubectl says of the cluster, where its user entry asks for that. */
const ExecInfo = Schema.fromJsonString(
  Schema.Struct({
    apiVersion: Schema.String,
    spec: Schema.optionalKey(
      Schema.Struct({ cluster: Schema.optionalKey(Schema.Struct({ server: Schema.optionalKey(Schema.String) })) })
    )
  })
)
const decode = Schema.decodeUnknownOption(ExecInfo)

const isWithin = (server: string, url: string) =>
  URL.canParse(server) && `${new URL(server).href}/`.startsWith(`${new URL(url).href.replace(/\/+$/, "")}/`)

export const kubectlToken = Command.make(
  "kubectl-token",
  {},
  Effect.fnUntraced(function* () {
    const session = yield* Session
    const { print } = yield* Screen
    const { url } = yield* session.connect
    const said = yield* variable("KUBERNETES_EXEC_INFO")
    const info = decode(said)
    if (said !== undefined && Option.isNone(info)) {
      return yield* new CliFailure({
        exit: "refused",
        message: "KUBERNETES_EXEC_INFO cannot be read, so the server that would get the token is not known",
        hint: "It is an ExecCredential as JSON, which kubectl sets by itself"
      })
    }
    const server = Option.getOrUndefined(info)?.spec?.cluster?.server
    if (server !== undefined && !isWithin(server, url)) {
      return yield* new CliFailure({
        exit: "refused",
        message: `The token is for ${url}, and kubectl would send it to ${server}`,
        hint: "Run 'portico setup kubectl' again for that address"
      })
    }
    const token = yield* session.token
    const expirationTimestamp = DateTime.formatIso(DateTime.makeUnsafe(yield* keepUntil(token)))
    const apiVersion = Option.getOrUndefined(info)?.apiVersion ?? "client.authentication.k8s.io/v1"
    yield* print(JSON.stringify({ apiVersion, kind: "ExecCredential", status: { token, expirationTimestamp } }))
  })
).pipe(
  Command.withShortDescription("Print a token for kubectl, which starts this by itself"),
  Command.withDescription(
    "An exec credential plugin of Kubernetes' clients: prints an ExecCredential with the token. 'portico setup kubectl' " +
      "names it in the kubeconfig. A server other than the gateway of the token is refused."
  ),
  Command.withExamples([{ command: "portico kubectl-token", description: "What kubectl reads" }])
)
