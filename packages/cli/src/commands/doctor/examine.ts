import { Config, type Duration, Effect, Option, Stream } from "effect"
import { CliFailure } from "../../CliFailure.ts"
import { addressBeside, Profile, Url } from "../../globalFlags.ts"
import { porticoAt } from "../../Portico.ts"
import { addressOf } from "../../session/address.ts"
import { proxyVariableFor } from "../../session/proxies.ts"
import { type Session, Session as CurrentSession } from "../../Session.ts"
import { type Check, type Checked, checked, type Finding, skipped } from "./Check.ts"
import { answers, clock, gatewayOf, identity, readiness, versions } from "./gateway.ts"
import { connects, resolves, speaksTls } from "./network.ts"
import { token } from "./token.ts"
import { upstreamChecks } from "./upstreams.ts"

/** The address of the flags, the environment or the profile, also where nobody is signed in. */
const addressGiven = Effect.gen(function* () {
  const url = addressBeside(yield* Url, yield* Profile)
  const profile = yield* Effect.orElseSucceed((yield* CurrentSession).profile, () => undefined)
  const given = Option.getOrUndefined(url) ?? profile?.url
  if (given === undefined) return undefined
  const address = yield* Effect.orElseSucceed(addressOf(given), () => undefined)
  return address === undefined ? undefined : new URL(address)
})

/** The file of the authorities that the session trusts beside those of Node. */
const authorities = Effect.gen(function* () {
  const given = yield* Effect.orDie(Config.option(Config.NonEmptyString("PORTICO_CA_FILE")))
  const profile = yield* Effect.orElseSucceed((yield* CurrentSession).profile, () => undefined)
  return Option.getOrUndefined(given) ?? profile?.ca_file
})

type Services = Session | (typeof Url | typeof Profile)["Identifier"]

/** So many checks run at once. */
const concurrency = 8

/** All checks in their order, each as soon as it and those before it are over. */
export const examine = (time: Duration.Duration): Stream.Stream<Checked, never, Services> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const session = yield* CurrentSession
      const address = yield* addressGiven
      const unknown = new CliFailure({
        exit: "notSignedIn",
        message: "No address is known",
        hint: "Log in with 'portico login <address>', or set PORTICO_URL"
      })
      const gateway = yield* gatewayOf(
        // First what the session does for every call, such as to trust the profile's authorities.
        Effect.andThen(
          Effect.ignore(session.connect),
          address === undefined ? unknown : Effect.succeed(porticoAt(address.href, undefined))
        ),
        session.connect
      )
      const caFile = yield* authorities
      const variable = address === undefined ? undefined : yield* proxyVariableFor(address.href)
      const onUrl = (name: string, run: (url: URL) => Effect.Effect<Finding>): Check<never> => ({
        name,
        run:
          address !== undefined
            ? variable === undefined
              ? run(address)
              : Effect.succeed(skipped(`${variable} is set: the connection may be the proxy's to make`))
            : name === "address"
              ? // The session refuses what is not an address.
                Effect.andThen(session.connect, unknown)
              : Effect.succeed(skipped("No address is known"))
      })

      const before: ReadonlyArray<Check<Session>> = [
        onUrl("address", resolves),
        onUrl("connection", connects),
        onUrl("tls", (url) => speaksTls(url, caFile)),
        { name: "gateway", run: answers(gateway) },
        { name: "clock", run: clock(gateway) },
        { name: "version", run: versions(gateway) },
        { name: "ready", run: readiness(gateway) },
        { name: "token", run: token },
        { name: "whoami", run: identity(gateway) }
      ]
      const all = (checks: ReadonlyArray<Check<Session>>) =>
        Stream.fromIterable(checks).pipe(Stream.mapEffect((_) => checked(_, time), { concurrency }))
      const behind = Stream.unwrap(
        Effect.map(
          Effect.timeoutOrElse(upstreamChecks(gateway), {
            duration: time,
            orElse: () =>
              Effect.succeed([
                { name: "upstreams", run: Effect.succeed(skipped("Not asked: the gateway does not answer in time")) }
              ])
          }),
          all
        )
      )
      return Stream.concat(all(before), behind)
    })
  )
