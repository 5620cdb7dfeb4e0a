import { PorticoError } from "@portico/client/PorticoError"
import { Effect, Option, Schema, Stdio, Stream } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { Argument, Command } from "../effectCli.ts"
import { byFlag, Profile, Url } from "../globalFlags.ts"
import { Screen } from "../Screen.ts"
import { Session } from "../Session.ts"
import type { Login } from "../setup/registries.ts"

const verbs = ["get", "store", "erase", "list"] as const

/** Any name goes with a token as the password. By this one a stored login is known as ours. */
const userName = "portico"

/** Docker's clients know this sentence, and go on without a login. */
const unknown = "credentials not found in native keychain"

const Stored = Schema.fromJsonString(
  Schema.Struct({ ServerURL: Schema.String, Username: Schema.String, Secret: Schema.RedactedFromValue(Schema.String) })
)

const input = Effect.flatMap(Stdio.Stdio, ({ stdin }) =>
  Stream.mkString(Stream.decodeText(stdin)).pipe(
    Effect.mapError(() => new CliFailure({ exit: "usage", message: "Standard input cannot be read" }))
  )
)

const hostOf = (server: string) =>
  server
    .trim()
    .replace(/^https?:\/\//, "")
    .replace(/\/.*$/, "")

const logins = Effect.gen(function* () {
  const registries = yield* Effect.promise(() => import("../setup/registries.ts"))
  return (yield* registries.logins).logins
})

/** The session of the gateway that gives the logins of a registry. */
const tokenOf = ({ profile, url }: Login) =>
  Effect.flatMap(Session, (_) => _.token).pipe(
    // Of its own: the session of the command line is that of another address.
    Effect.provide(Session.layer, { local: true }),
    Effect.provideService(Profile, Option.map(Option.fromUndefinedOr(profile), byFlag)),
    // A profile of that name may have another address by now, whose token is not for this registry.
    Effect.provideService(Url, Option.some(byFlag(url)))
  )

const get = Effect.gen(function* () {
  const { print } = yield* Screen
  const server = (yield* input).trim()
  const known = yield* logins
  const login = Object.hasOwn(known, hostOf(server)) ? known[hostOf(server)] : undefined
  if (login === undefined) {
    return yield* new CliFailure({ exit: "notFound", message: unknown })
  }
  const Secret = yield* tokenOf(login)
  yield* print(JSON.stringify({ ServerURL: server, Username: userName, Secret }))
})

/** 'docker login' stores the login that it has just tried, which may be ours. */
const store = Effect.gen(function* () {
  const stored = yield* Effect.mapError(
    Schema.decodeUnknownEffect(Stored)(yield* input),
    () => new CliFailure({ exit: "usage", message: "Standard input is not what Docker's clients send" })
  )
  if (stored.Username === userName) return
  return yield* new CliFailure({
    exit: "refused",
    message: `'portico' gives the login of ${hostOf(stored.ServerURL)} and stores no other one: 'docker login' is not needed`,
    hint: `'portico setup docker --registry ${hostOf(stored.ServerURL)} --remove' ends that`
  })
})

const list = Effect.gen(function* () {
  const { print } = yield* Screen
  const names = Object.keys(yield* logins)
  yield* print(JSON.stringify(Object.fromEntries(names.map((_) => [_, userName]))))
})

const wordsOf = (failure: PorticoError | CliFailure) =>
  failure instanceof PorticoError ? failure.detail : failure.message

/** Docker's clients read the words of a failure from standard output. */
const told = <A, E extends PorticoError | CliFailure, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.tapError(effect, (failure) => Effect.flatMap(Screen, ({ print }) => print(wordsOf(failure))))

export const dockerCredential = Command.make(
  "docker-credential",
  { verb: Argument.Literals("verb", verbs).pipe(Argument.withDescription("What Docker's protocol asks for")) },
  Effect.fnUntraced(function* ({ verb }) {
    if (verb === "get") return yield* told(get)
    if (verb === "store") return yield* told(store)
    if (verb === "list") return yield* told(list)
    // An erased login would come back: 'portico logout' ends the session itself.
    yield* input
  })
).pipe(
  Command.withShortDescription("Give docker the login of a registry; it starts this by itself"),
  Command.withDescription(
    "A credential helper of Docker's protocol, by the name docker-credential-portico: reads from standard input and " +
      "prints JSON. 'portico setup docker' names it in ~/.docker/config.json."
  ),
  Command.withExamples([
    { command: "portico docker-credential list", description: "The registries that it gives logins for" }
  ])
)
