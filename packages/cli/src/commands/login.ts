import { Config, Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "../effectCli.ts"
import { type Given, Profile, Quiet, Url } from "../globalFlags.ts"
import { Output } from "../output/Output.ts"
import { Screen } from "../Screen.ts"
import { login as logIn } from "../session/login/login.ts"
import { dataOf, wordsOf } from "../session/words.ts"

const optional = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description), Flag.optional)

const choice = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

const valueOf = (given: Option.Option<Given>) => Option.map(given, ({ value }) => value)

/** A person who has logged in expects to work with that login, and this variable comes before it. */
const isOverruled = Effect.map(Effect.orDie(Config.option(Config.Redacted("PORTICO_TOKEN"))), (token) =>
  Option.exists(token, (_) => Redacted.value(_) !== "")
)

export const login = Command.make(
  "login",
  {
    address: Argument.String("address").pipe(
      Argument.withDescription("The address of the gateway, such as https://api.cloud.example"),
      Argument.optional
    ),
    device: choice("device", "Log in on another device, with a code that is shown here"),
    browser: choice(
      "browser",
      "Log in with a browser on this machine. Where none can be opened, the address is printed"
    ),
    pat: choice("pat", "Log in with a personal access token, from --secret-file, standard input or a prompt"),
    clientId: optional("client-id", "id", "A machine's client id, with --secret-file; or the public client for people"),
    secretFile: optional("secret-file", "file", "The file with the secret, or - for standard input"),
    issuer: optional("issuer", "address", "The identity provider, for a gateway that does not name it"),
    scope: optional("scope", "scopes", "The scopes to ask for, separated by spaces"),
    caFile: optional(
      "ca-file",
      "file",
      "PEM file of the authorities that signed the certificates; kept in the profile"
    ),
    insecure: choice("insecure", "Send the token over plain HTTP to another machine; kept in the profile")
  },
  Effect.fnUntraced(function* (given) {
    const { note, print } = yield* Screen
    const { show } = yield* Output
    const quiet = yield* Quiet
    const url = yield* Url
    const optionalValues = {
      address: Option.getOrUndefined(Option.orElse(given.address, () => valueOf(url))),
      clientId: Option.getOrUndefined(given.clientId),
      secretFile: Option.getOrUndefined(given.secretFile),
      issuer: Option.getOrUndefined(given.issuer),
      scope: Option.getOrUndefined(given.scope),
      caFile: Option.getOrUndefined(given.caFile)
    }
    const { device, browser, pat, insecure } = given
    const signed = yield* logIn({
      ...optionalValues,
      device,
      browser,
      pat,
      insecure,
      profile: Option.getOrUndefined(valueOf(yield* Profile)),
      say: quiet ? print : note
    })
    const { profile, who } = signed
    const about = { ...signed, url: profile.url }
    yield* note(
      `Logged in. The tokens are in ${profile.store === "keyring" ? "the system's keyring" : "a file that only you can read"}.`
    )
    if (yield* isOverruled) yield* note("PORTICO_TOKEN is set and takes precedence over this login until you unset it.")
    yield* show({ ...who, login: dataOf(about) }, { text: () => wordsOf(about) })
  })
).pipe(
  Command.withShortDescription("Log in to a gateway"),
  Command.withDescription(
    "Logs in, and keeps the address and the login as a profile, which the other commands use. The tokens are kept in " +
      "the system's keyring, or in a file that only you can read."
  ),
  Command.withExamples([
    { command: "portico login http://127.0.0.1:8080", description: "With a browser" },
    { command: "portico login http://127.0.0.1:8080 --device", description: "On a machine without one" },
    {
      command: "portico login http://127.0.0.1:8080 --pat --secret-file token.txt --profile ci",
      description: "With a personal access token, as another profile"
    },
    {
      command: "portico login http://127.0.0.1:8080 --client-id acme-1 --secret-file - --profile machine",
      description: "With the key pair of a machine, whose secret is on standard input"
    }
  ])
)
