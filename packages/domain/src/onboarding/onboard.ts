import { BadGateway, Conflict } from "@portico/contract/Failures"
import type { Left } from "@portico/contract/Journal"
import type { Onboarded, OnboardRequest } from "@portico/contract/Tenants"
import { serviceQuotas } from "@portico/contract/Tiers"
import { Credentials } from "@portico/store/Credentials"
import { Journal, type JournalEntry } from "@portico/store/Journal"
import { Tenants } from "@portico/store/Tenants"
import { Transactions } from "@portico/store/Transactions"
import { Keystone } from "@portico/upstream/keystone/Keystone"
import { UpstreamError } from "@portico/upstream/UpstreamError"
import { Cause, Duration, Effect, Exit, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { badGateway } from "../badGateway.ts"
import { admit } from "../tenants/admission.ts"
import { slugOf } from "../tenants/slug.ts"
import { attemptOf } from "./attempt.ts"
import { doAll, type Stopped } from "./graph.ts"
import type { Attempt } from "./Step.ts"
import { firstCredential, network, project, router, subnet, uplink } from "./steps.ts"
import { allSteps, withdraw } from "./withdraw.ts"

/** Shorter than the lease, so that an attempt is still its own process's when it turns back. */
const timeLimit = Duration.seconds(90)

/**
 * Creates a tenant whole or not at all (contract, What the service does).
 *
 * A journal entry is written before the first upstream call, and
 * {@link withdraw} needs nothing but that entry, so a tenant that was cut
 * short by a refusal, a hang-up or a dead process is removed the same way. A
 * caller who hangs up gets the attempt rolled back, because nobody would hold
 * the secret.
 *
 * Errors: 409 for a taken name, an attempt of that name under way, or a full
 * budget (with the numbers); 422 for a name without a slug; 502 for whatever
 * an upstream did, with its words, whether it may pass, and what is left.
 */
export const onboard = Effect.fn("onboard")(function* (request: OnboardRequest) {
  const name = request.tenant_name ?? request.name
  const slug = yield* slugOf(name)
  const steps = yield* allSteps
  const { numbers, reserved: entry } = yield* admit(
    { tier: request.tier },
    openEntry({ name, slug, tier: request.tier, steps: steps.map((_) => _.name), attempt_id: randomUUID() })
  ).pipe(Effect.catchTag("UpstreamError", badGateway))

  return yield* Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const attempt = attemptOf(entry)
      const exit = yield* Effect.exit(restore(provision(entry, attempt).pipe(inTime)))
      if (Exit.isSuccess(exit)) return { ...exit.value, admission: numbers } satisfies Onboarded

      const stopped = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
      const left = yield* turnBack(entry, stopped)
      if (stopped === undefined) return yield* Effect.failCause(withoutError(exit.cause))
      return yield* refusal(name, stopped, left)
    })
  )
})

/** Inside the admission lock, so that of two equal names one is first. */
const openEntry = Effect.fnUntraced(function* (
  entry: Pick<JournalEntry, "attempt_id" | "name" | "slug" | "tier" | "steps">
) {
  const journal = yield* Journal
  if (yield* (yield* Tenants).slugTaken(entry.slug)) return yield* Conflict.nameTaken(entry.name)
  if (yield* journal.slugHeld(entry.slug)) return yield* Conflict.onboardingInProgress(entry.name)
  return yield* journal.open(entry)
})

/** Forward: all steps, then the tier tag, because tiers are counted by it, then the tables. */
const provision = Effect.fn("onboard.provision")(function* (entry: JournalEntry, attempt: Attempt) {
  yield* doAll(attempt, yield* allSteps)
  const { id: projectId, name: projectName } = project.made(attempt)
  yield* Effect.mapError((yield* Keystone).tagTier(projectId, attempt.tier), at("tier tag"))
  const credential = firstCredential.made(attempt)
  yield* settle(entry, attempt, projectId)

  const { cinder, neutron, nova } = serviceQuotas(attempt.tier)
  return {
    tenant: {
      slug: attempt.slug,
      project_id: projectId,
      project_name: projectName,
      tier: attempt.tier,
      quotas: { nova, cinder, neutron },
      network: {
        network_id: network.made(attempt),
        subnet_id: subnet.made(attempt),
        router_id: router.made(attempt),
        external_network_id: uplink.made(attempt)
      }
    },
    credential: {
      id: credential.credentialId,
      tier: 2 as const,
      client_id: credential.userName,
      client_secret: Redacted.value(credential.secret)
    }
  }
})

/** From here on the tenant is live; the entry, the tenant and the credential change in one transaction. */
const settle = Effect.fnUntraced(function* (entry: JournalEntry, attempt: Attempt, projectId: string) {
  const { credentialId, userId, userName } = firstCredential.made(attempt)
  const settled = yield* (yield* Transactions).atomically(
    Effect.gen(function* () {
      if (!(yield* (yield* Journal).settle(entry))) return false
      const { name, slug, stamp, tier } = attempt
      yield* (yield* Tenants).insert({ project_id: projectId, name, slug, stamp, tier })
      yield* (yield* Credentials).insert({
        credential_id: credentialId,
        project_id: projectId,
        user_id: userId,
        kind: "api-key",
        tier: 2,
        label: "first credential",
        state: "active",
        client_id: userName,
        pat_hash: null,
        created_by: "onboarding",
        expires_at: null
      })
      return true
    })
  )
  if (!settled) return yield* Effect.fail(stoppedAt("settle", null, "the lease of the attempt has passed"))
})

const inTime = <A, R>(effect: Effect.Effect<A, Stopped, R>) =>
  Effect.timeoutOrElse(effect, {
    duration: timeLimit,
    orElse: () => Effect.fail(stoppedAt("time limit", null, `not done within ${Duration.format(timeLimit)}`))
  })

/** Nothing when the entry has passed to another process, which removes everything itself. */
const turnBack = Effect.fnUntraced(function* (entry: JournalEntry, stopped: Stopped | undefined) {
  // Interrupted or broken: calls were cut off, and nobody knows what became of them.
  const unsettled = stopped?.unsettled ?? true
  const held = yield* (yield* Journal).turnBack(entry, stopped === undefined ? null : wordsOf(stopped), unsettled)
  return held === undefined ? [] : yield* withdraw(held, unsettled)
})

const refusal = (name: string, stopped: Stopped, left: ReadonlyArray<Left>): Conflict | BadGateway =>
  stopped.failure._tag === "Taken"
    ? Conflict.nameTaken(name)
    : BadGateway.onboarding({
        at: stopped.step,
        words: stopped.failure.sentence,
        transient: stopped.failure.transient,
        left: left.map((_) => _.step)
      })

const wordsOf = ({ failure, step }: Stopped): string => `${step}: ${failure.sentence}`

const at =
  (step: string) =>
  (failure: UpstreamError): Stopped => ({ step, failure, unsettled: failure.unsettled })

const stoppedAt = (step: string, status: number | null, words: string): Stopped =>
  at(step)(new UpstreamError({ upstream: "portico", call: step, status, words }))

const withoutError = (cause: Cause.Cause<Stopped>): Cause.Cause<never> =>
  Cause.fromReasons(cause.reasons.filter((_) => !Cause.isFailReason(_)))
