import { AdminRole } from "@portico/domain/access/AdminRole"
import * as Trust from "@portico/upstream/Trust"
import * as Upstreams from "@portico/upstream/Upstreams"
import type { Designate } from "@portico/upstream/designate/Designate"
import type { Keystone } from "@portico/upstream/keystone/Keystone"
import type { Rgw } from "@portico/upstream/rgw/Rgw"
import type { Humans } from "@portico/upstream/zitadel/Humans"
import type { Zitadel } from "@portico/upstream/zitadel/Zitadel"
import { type Config, type Duration, Effect, Layer, Logger, type Scope, Stream } from "effect"
import type { HttpClient } from "effect/http"
import { certificates } from "./certificates.ts"
import { type Check, type Checked, checked, skipped } from "./Check.ts"
import { clock } from "./clock.ts"
import { database } from "./database.ts"
import { bus, mail, sharedLimits } from "./optional.ts"
import { records } from "./records.ts"
import { settings } from "./settings.ts"
import { systemChecks, systemNames } from "./systems.ts"
import { withoutSecrets } from "./withoutSecrets.ts"

/** Checks that run at once: together they take no longer than the slowest. */
const concurrency = "unbounded"

/** What is looked at beside what a start needs. */
export interface Examining {
  /** Whether the records are compared with the platform. */
  readonly records?: boolean
}

const rest = [clock, certificates, bus, sharedLimits, mail]

/** The names of all checks that are carried out. */
export const namesOf = (examining: Examining): ReadonlyArray<string> => [
  settings.name,
  database.name,
  ...systemNames,
  ...rest.map((_) => _.name),
  ...(examining.records === true ? [records.name] : [])
]

/** Every check but the first, which is of the settings that they all need. */
const othersOf = (examining: Examining) =>
  Effect.gen(function* () {
    const systems = yield* systemChecks
    const compared = examining.records === true ? [records] : []
    return [database, ...systems, ...rest, ...compared]
  })

/** What the checks use. */
type Examined = Designate | HttpClient.HttpClient | Humans | Keystone | Rgw | Scope.Scope | Zitadel

const clients = Layer.merge(Upstreams.layer, AdminRole.layer)

/** Without its settings nothing else can be looked at. */
const unlooked: Check<never> = {
  name: "systems",
  run: Effect.succeed([skipped("not looked at: the settings have to be right first")])
}

/**
 * Every finding, check by check, each as soon as it and those before it are there. It changes nothing: it reads, asks
 * for reviews that Kubernetes does not store, and has Kafka check requests without carrying them out, but for
 * a producer's number, which Kafka counts up. No finding holds a secret.
 *
 * @param time how long one check may take; all of them take about twice that at most
 */
export const examineWith = <E>(
  network: Layer.Layer<HttpClient.HttpClient, E>,
  time: Duration.Duration,
  examining: Examining = {}
): Stream.Stream<Checked, E | Config.ConfigError> => {
  const all = (checks: ReadonlyArray<Check<Examined>>) =>
    Stream.fromIterable(checks).pipe(
      Stream.mapEffect((_) => checked(_, time), { concurrency }),
      Stream.flatMap(Stream.fromIterable)
    )
  const others = Stream.unwrap(Effect.map(othersOf(examining), all)).pipe(
    Stream.provide(clients),
    Stream.provide(network)
  )
  return Stream.unwrap(
    Effect.gen(function* () {
      const clean = yield* withoutSecrets
      const own = yield* checked(settings, time)
      const next = own.some((_) => _.state === "failed") ? Stream.fromIterable(yield* checked(unlooked, time)) : others
      return Stream.concat(Stream.fromIterable(own), next).pipe(Stream.map(clean))
    })
    // The findings say what the clients' own log lines would.
  ).pipe(Stream.provide(Logger.layer([])))
}

/** {@link examineWith} the network as the gateway has it. */
export const examine = (time: Duration.Duration, examining: Examining = {}) =>
  examineWith(Layer.provideMerge(Trust.client, Trust.layer), time, examining)
