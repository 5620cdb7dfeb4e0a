import { BadGateway, Conflict } from "@portico/contract/Failures"
import type { Onboarded, OnboardRequest } from "@portico/contract/Tenants"
import { serviceQuotas } from "@portico/contract/Tiers"
import { Accounts } from "@portico/store/Accounts"
import { Credentials } from "@portico/store/Credentials"
import { Journal, type JournalEntry, type NewEntry, type Owner } from "@portico/store/Journal"
import type { StepMessage } from "@portico/store/StepMessage"
import { Tenants } from "@portico/store/Tenants"
import { Transactions } from "@portico/store/Transactions"
import { Fence } from "@portico/upstream/Fence"
import { type Taken, UpstreamError } from "@portico/upstream/UpstreamError"
import { Cause, Duration, Effect, Exit, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { badGateway } from "../badGateway.ts"
import { createdOf, publishChanges } from "../credentials/events.ts"
import { admit } from "../tenants/admission.ts"
import { slugOf } from "../tenants/slug.ts"
import { untilCallsEnd } from "../work/untilCallsEnd.ts"
import { doAll, type Stopped, stopped } from "./graph.ts"
import { type Attempt, attemptOf, type StepFailure } from "./Step.ts"
import { firstCredential, network, owner, project, router, subnet, uplink } from "./steps.ts"
import { planFor, withdraw } from "./withdraw.ts"

/** Shorter than the lease, so that this process still holds the attempt when it rolls back. */
const timeLimit = Duration.seconds(90)

/** The person that a tenant is made for, and what changes together with the tenant. */
export interface Occasion<A, R, E> {
  /** Gets a login after everything else exists; null for a tenant without people. */
  readonly owner: Owner | null
  /** Runs before anything is created, in parallel with the admission. */
  readonly check: Effect.Effect<void, E | UpstreamError, R>
  /** Runs in the transaction that opens the journal entry. */
  claim(attemptId: string): Effect.Effect<void, E, R>
  /** Runs in the transaction that makes the tenant live. */
  settle(attempt: Attempt): Effect.Effect<A, Taken, R>
}

const none: Occasion<void, never, never> = {
  owner: null,
  check: Effect.void,
  claim: () => Effect.void,
  settle: () => Effect.void
}

/**
 * Creates a tenant whole or not at all (contract, What the service does).
 *
 * A journal entry is written before the first upstream call, and {@link
 * withdraw} needs nothing but that entry. A tenant that was cut short by a
 * refusal, a disconnect or a dead process is therefore removed the same way.
 * When the client disconnects, the attempt is rolled back, because no client
 * would hold the secret: no further step starts, and the running calls finish,
 * so that everything they create can be found and removed.
 *
 * Errors: 409 for a taken name, an attempt of that name under way, or a full
 * budget (with the numbers); 422 for a name without a slug; 502 for any failure
 * of an upstream, with its message, whether it may pass, and what is left.
 */
export const onboard = Effect.fn("onboard")(function* (request: OnboardRequest) {
  return (yield* onboardOn(none, request)).onboarded
})

/**
 * {@link onboard} with an occasion; also returns the result of the occasion's
 * `settle`. One more error: 409 when another account has the owner's login.
 */
export const onboardOn = Effect.fn("onboardOn")(function* <A, R, E extends Conflict>(
  occasion: Occasion<A, R, E>,
  request: OnboardRequest
) {
  const { check, owner } = occasion
  const name = request.tenant_name ?? request.name
  const slug = yield* slugOf(name)
  yield* removeLate(slug, owner)
  const { names: steps } = yield* planFor(owner)
  const { numbers, reserved: entry } = yield* admit(
    { tier: request.tier, check },
    openEntry(occasion, { name, slug, tier: request.tier, steps, owner, attempt_id: randomUUID() })
  ).pipe(Effect.mapError((error) => (error instanceof UpstreamError ? badGateway(error) : error)))

  return yield* Effect.uninterruptibleMask(
    Effect.fnUntraced(function* (restore) {
      const attempt = attemptOf(entry)
      const { exit } = yield* untilCallsEnd(restore, (isUnwanted) =>
        inTime(provision(entry, attempt, occasion, isUnwanted))
      )
      if (Exit.isSuccess(exit)) {
        const { settled, ...made } = exit.value
        return { onboarded: { ...made, admission: numbers } satisfies Onboarded, settled }
      }

      const stopped = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
      const left = yield* rollBack(entry, attempt, stopped)
      if (stopped === undefined) return yield* Effect.failCause(withoutError(exit.cause))
      return yield* yield* refusal(attempt, stopped, left)
    })
  )
})

/** Runs inside the admission lock, so that of two equal names one is first. */
const openEntry = Effect.fnUntraced(function* <A, R, E extends Conflict>(occasion: Occasion<A, R, E>, entry: NewEntry) {
  const journal = yield* Journal
  yield* occasion.claim(entry.attempt_id)
  if (yield* (yield* Tenants).slugTaken(entry.slug)) return yield* Conflict.nameTaken(entry.name)
  if (yield* journal.slugHeld(entry.slug)) return yield* Conflict.onboardingInProgress(entry.name)
  return yield* journal.open(entry)
})

/** Forward: all steps, then the last one, then the tables. */
const provision = Effect.fn("onboard.provision")(function* <A, R, E extends Conflict>(
  entry: JournalEntry,
  attempt: Attempt,
  occasion: Occasion<A, R, E>,
  isUnwanted: () => boolean
) {
  const { last, steps } = yield* planFor(entry.owner)
  const journal = yield* Journal
  // Of a machine that stood still the clock stood still too: only the journal knows that the lease has passed.
  const fenced = Effect.provideService(Fence, journal.holds(entry))
  yield* fenced(doAll(attempt, steps, { last, did: (step) => journal.did(entry, step), isUnwanted }))
  if (isUnwanted()) return yield* Effect.fail(hungUp)
  const { id: projectId, name: projectName } = project.made(attempt)
  const credential = firstCredential.made(attempt)
  const settled = yield* settle(entry, attempt, occasion)

  const { cinder, neutron, nova } = serviceQuotas(attempt.tier)
  return {
    settled,
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

/** Makes the tenant live: all tables change in one transaction. */
const settle = Effect.fnUntraced(function* <A, R, E extends Conflict>(
  entry: JournalEntry,
  attempt: Attempt,
  occasion: Occasion<A, R, E>
) {
  const { credentialId, userId, userName } = firstCredential.made(attempt)
  const { id: projectId } = project.made(attempt)
  return yield* (yield* Transactions).atomically(
    Effect.gen(function* () {
      // First, because it may fail.
      const settled = yield* Effect.mapError(occasion.settle(attempt), at(owner.name))
      if (!(yield* (yield* Journal).settle(entry))) {
        return yield* Effect.fail(stoppedAt("settle", null, "the lease of the attempt has passed"))
      }
      const { name, slug, stamp, tier } = attempt
      yield* (yield* Tenants).insert({ project_id: projectId, name, slug, stamp, tier })
      yield* (yield* Accounts).open({ projectId, name })
      const credential = yield* (yield* Credentials).insert({
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
      yield* publishChanges([createdOf(credential)])
      return settled
    })
  )
})

const inTime = <A, R>(effect: Effect.Effect<A, Stopped, R>) =>
  Effect.timeoutOrElse(effect, {
    duration: timeLimit,
    orElse: () => Effect.fail(stoppedAt("time limit", null, `not done within ${Duration.format(timeLimit)}`))
  })

/**
 * Removes what the attempt made. Another process that has taken the attempt over does not know what this one has made
 * since: this one takes it back then, and removes it itself.
 */
const rollBack = Effect.fnUntraced(function* (entry: JournalEntry, attempt: Attempt, stopped: Stopped | undefined) {
  // Interrupted or broken: calls were cut off, and may still take effect.
  const unsettled = stopped?.unsettled ?? true
  const journal = yield* Journal
  const held = yield* journal.turnBack(entry, stopped === undefined ? null : messageOf(stopped), unsettled)
  if (held !== undefined) return yield* withdraw(held, unsettled)
  // Without the project's id what came after its removal could not be found.
  const made = project.result(attempt)?.id ?? null
  const again = yield* journal.reopen({ ...entry, project_id: made }, attempt.stamp)
  return again === undefined ? [] : yield* withdraw(again, true)
})

const refusal = Effect.fnUntraced(function* (attempt: Attempt, stopped: Stopped, left: ReadonlyArray<StepMessage>) {
  const { name, owner: person, slug } = attempt
  if (stopped.failure._tag === "Taken") {
    // The conflicting resource came late from an earlier attempt, and is about to be removed.
    if ((yield* resting(slug, person ?? null)).length > 0) return Conflict.onboardingInProgress(name)
    return person !== undefined && stopped.step === owner.name
      ? Conflict.loginTaken(person.email)
      : Conflict.nameTaken(name)
  }
  return BadGateway.onboarding({
    at: stopped.step,
    message: stopped.failure.summary,
    transient: stopped.failure.transient,
    left: left.map((_) => _.step)
  })
})

/** Rolled-back attempts at the name or at the person's login, of which a late call may still take effect. */
const resting = Effect.fnUntraced(function* (slug: string, person: Owner | null) {
  const email = person?.email.toLowerCase()
  return (yield* (yield* Journal).list).filter(
    (_) => _.state === "resting" && (_.slug === slug || (email !== undefined && _.owner?.email.toLowerCase() === email))
  )
})

/**
 * Removes now what earlier attempts created late. The name is free while such
 * an attempt rests, and at the end of its rest the removal would be too late
 * for this one.
 */
const removeLate = Effect.fnUntraced(function* (slug: string, person: Owner | null) {
  const journal = yield* Journal
  const claimed = yield* Effect.forEach(yield* resting(slug, person), (_) => journal.claim(_.attempt_id))
  yield* Effect.forEach(claimed, (entry) => (entry === undefined ? Effect.void : withdraw(entry, true)), {
    concurrency: "unbounded",
    discard: true
  })
})

const messageOf = ({ failure, step }: Stopped): string => `${step}: ${failure.summary}`

const at =
  (step: string) =>
  (failure: StepFailure): Stopped =>
    stopped(step, failure)

const stoppedAt = (step: string, status: number | null, message: string): Stopped =>
  at(step)(new UpstreamError({ upstream: "portico", call: step, status, detail: message }))

/** No client reads the answer. All calls have ended, so none takes effect late. */
const hungUp: Stopped = { ...stoppedAt("hang-up", null, "the client has hung up"), unsettled: false }

const withoutError = (cause: Cause.Cause<Stopped>): Cause.Cause<never> =>
  Cause.fromReasons(cause.reasons.filter((_) => !Cause.isFailReason(_)))
