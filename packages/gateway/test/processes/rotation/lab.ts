import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { Webhook } from "standardwebhooks"
import type { Got } from "../../targets/Receiver.ts"
import { eventually } from "../children.ts"
import type { Fleet } from "../fleet.ts"
import type { Answer, Gateway } from "../harness.ts"

/** Settings of every replica whose secrets are rotated. */
export const lab = {
  WEBHOOK_ALLOW_HTTP: "true",
  WEBHOOK_ALLOW_ADDRESSES: "127.0.0.1",
  RATE_LIMIT: "false",
  // Components are judged often, so that a replica with a wrong secret says so within the story.
  PROBE_SECONDS: "1"
}

export const newKey = () => randomBytes(32).toString("hex")

export const only = (members: ReadonlyArray<Gateway>): Gateway => {
  const [member] = members
  assert.isDefined(member)
  return member!
}

/** A replica whose secrets are refused is `unauthorized`, which counts as a failed call. */
export const readiness = (gateway: Gateway): Effect.Effect<Answer<unknown>> =>
  Effect.map(gateway.operator<Ready>("GET", "/health/ready"), ({ body, status }) => {
    const refused = Object.entries(body.components ?? {}).filter(([, _]) => _.state === "unauthorized")
    return refused.length > 0
      ? { status: 599, body: { detail: refused.map(([name]) => name).join() } }
      : { status, body }
  })

/** Waits until every replica has judged all of its systems after this moment, and finds that each of them is well. */
export const judgedAnew = (fleet: Fleet) =>
  Effect.gen(function* () {
    const since = DateTime.toEpochMillis(yield* DateTime.now)
    const judged = Effect.forEach(fleet.members(), (_) =>
      Effect.map(_.operator<Ready>("GET", "/health/ready"), ({ body }) => {
        for (const [name, { checked_at, state }] of Object.entries(body.components ?? {})) {
          assert.include(["ok", "not configured"], state, name)
          // What a replica knows of itself is not probed.
          if (checked_at !== null) assert.isAbove(Date.parse(checked_at), since, name)
        }
      })
    )
    yield* eventually(judged)
  })

interface Ready {
  readonly components: Readonly<Record<string, { readonly state: string; readonly checked_at: string | null }>>
}

/** Whether a receiver that has this secret accepts a delivery, by the library of Standard Webhooks. */
export const verifies = (secret: string, { body, headers }: Got): boolean => {
  const key = Buffer.from(createHash("sha256").update(secret).digest("hex")).toString("base64")
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  const verified = Effect.try({ try: () => new Webhook(`whsec_${key}`).verify(body, named), catch: (cause) => cause })
  return Effect.runSync(Effect.isSuccess(verified))
}
