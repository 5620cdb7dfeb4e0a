#!/usr/bin/env node
import { SessionSeal } from "@portico/domain/console/SessionSeal"
import { TargetSecrets } from "@portico/domain/deliveries/TargetSecrets"
import { SigningKeys } from "@portico/domain/registry/SigningKeys"
import { rekey, type Rekeyed } from "@portico/domain/tenants/rekey"
import { StatementTime } from "@portico/store/client/inTime"
import * as Store from "@portico/store/Store"
import { Keystone } from "@portico/upstream/keystone/Keystone"
import { Catalog } from "@portico/upstream/openstack/Catalog"
import { Sessions } from "@portico/upstream/openstack/Sessions"
import * as Trust from "@portico/upstream/Trust"
import { Console, Duration, Effect, Layer } from "effect"
import { CannotStart, run } from "./launch.ts"
import * as Logs from "./observability/logs.ts"
import { endingWithOutput } from "./observability/outputs.ts"
import * as SettingsCheck from "./settings/check.ts"

// portico-rekey: moves everything to `TENANT_PASSWORD_KEY` from `ACCEPTED_TENANT_PASSWORD_KEY`, with the gateway's own
// settings: docs/operators/rotation.md.

const clients = Layer.mergeAll(Keystone.layer, TargetSecrets.layer, SigningKeys.layer, SessionSeal.layer).pipe(
  Layer.provide(Sessions.layer),
  Layer.provide(Catalog.layer),
  Layer.provide(Layer.provideMerge(Trust.client, Trust.layer)),
  Layer.provideMerge(Store.layer),
  Layer.provide(SettingsCheck.layer),
  Layer.provide(Logs.layer)
)

const sentence = ({ passwords, registryKeys, sessions, targets }: Rekeyed): string =>
  `portico-rekey: moved ${passwords} passwords, ${targets} webhooks and integrations, ${registryKeys} registry keys, ` +
  `${sessions} sessions of the console`

const program = Effect.gen(function* () {
  const rekeyed = yield* rekey()
  yield* Console.log(sentence(rekeyed))
  if (rekeyed.failures.length > 0) {
    return yield* new CannotStart({ message: [...rekeyed.failures, "run portico-rekey again"].join("; ") })
  }
})

run(
  Effect.provide(program, clients).pipe(Effect.provideService(StatementTime, Duration.minutes(1))),
  endingWithOutput("portico-rekey")
)
