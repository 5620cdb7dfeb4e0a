import { tidied } from "@portico/contract/EmailAddress"
import { webhookTopic } from "@portico/contract/Events"
import { BadGateway, Conflict, Unprocessable } from "@portico/contract/Failures"
import { ConfirmationAsked } from "@portico/contract/Integrations"
import { EventLog } from "@portico/store/EventLog"
import { Mail, type Post } from "@portico/upstream/mail/Mail"
import { DateTime, Duration, Effect, Schema } from "effect"
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { Bus } from "../events/Bus.ts"
import { confirmationLetter } from "../deliveries/senders/letters.ts"
import { MailLimits, mailWindow } from "../MailLimits.ts"
import type { RecipientEntry } from "../deliveries/settings.ts"

/** How long a confirmation code is valid. */
const codeTime = Duration.hours(24)

/** The mails sent at a time. */
const concurrency = 5

const isAsked = Schema.is(ConfirmationAsked)

/**
 * The addresses of an integration, without duplicates. Those that have agreed stay confirmed; each
 * other address gets a mail with its own code. The mails are counted before they are sent, so the
 * limit holds. When a mail cannot be sent, the caller stores nothing of the result.
 *
 * The caller holds the lease of the tenant's integrations.
 *
 * Errors: 409 without a mail server, and when the hourly allowance is used up; 422 for an address
 * that the mail server refuses permanently; 502.
 */
export const askedOf = Effect.fn("integrations.ask")(function* (
  projectId: string,
  integrationId: string,
  addresses: ReadonlyArray<string>,
  known: ReadonlyArray<RecipientEntry>
) {
  const { post } = yield* Mail
  if (post === undefined) return yield* Conflict.mailNotOffered()
  const wanted = [...new Set(addresses.map(tidied))]
  const agreed = new Map(known.flatMap((_) => (_.confirmed_at === null ? [] : [[_.address, _] as const])))
  const fresh = wanted.filter((_) => !agreed.has(_))
  if (fresh.length > 0) yield* reserve(projectId, integrationId, fresh.length)
  const ends = DateTime.formatIso(DateTime.addDuration(yield* DateTime.now, codeTime))
  return yield* Effect.forEach(
    wanted,
    (address) => {
      const old = agreed.get(address)
      return old === undefined ? ask(post, integrationId, address, ends) : Effect.succeed(old)
    },
    { concurrency }
  )
})

const ask = Effect.fnUntraced(function* (post: Post, integrationId: string, address: string, ends: string) {
  const code = randomBytes(16).toString("base64url")
  const { accepted } = yield* post.send(confirmationLetter(randomUUID(), integrationId, address, code)).pipe(
    Effect.tapError(({ detail }) => Effect.logWarning("a confirmation mail cannot be sent", detail)),
    Effect.mapError(({ permanent, summary }) =>
      permanent ? Unprocessable.recipient(address, summary) : BadGateway.upstream(`mail: ${summary}`, true)
    )
  )
  if (accepted.length === 0) return yield* BadGateway.upstream("mail: the mail server did not take it yet", true)
  return { address, confirmed_at: null, code_hash: hashOf(code), code_ends_at: ends } satisfies RecipientEntry
})

/** The recipients after one has agreed; undefined when none waits for this code. */
export const agreedWith = (
  recipients: ReadonlyArray<RecipientEntry>,
  code: string,
  now: DateTime.Utc
): ReadonlyArray<RecipientEntry> | undefined => {
  const hash = hashOf(code)
  const moment = DateTime.formatIso(now)
  const found = recipients.find(
    (_) => _.confirmed_at === null && _.code_hash === hash && _.code_ends_at !== null && _.code_ends_at > moment
  )
  if (found === undefined) return undefined
  const agreed = { address: found.address, confirmed_at: moment, code_hash: null, code_ends_at: null }
  return recipients.map((_) => (_ === found ? agreed : _))
}

const hashOf = (code: string): string => createHash("sha256").update(code, "utf8").digest("hex")

/** Counts the addresses against the allowance with an event in the log, which all replicas see. */
const reserve = Effect.fnUntraced(function* (projectId: string, integrationId: string, addresses: number) {
  const { confirmations } = yield* MailLimits
  const now = yield* DateTime.now
  const used = yield* askedSince(projectId, DateTime.subtractDuration(now, mailWindow))
  if (used + addresses > confirmations) return yield* Conflict.confirmationAllowance(confirmations)
  const event: ConfirmationAsked = {
    id: randomUUID(),
    topic: webhookTopic,
    kind: "integration.confirmation_asked",
    at: DateTime.formatIso(now),
    key: integrationId,
    project_id: projectId,
    data: { integration_id: integrationId, addresses }
  }
  yield* (yield* Bus).publish([event])
})

const pageSize = 100

const askedSince = Effect.fnUntraced(function* (projectId: string, since: DateTime.Utc) {
  const log = yield* EventLog
  let count = 0
  let after: number | undefined
  while (true) {
    const page = yield* log.read({ topics: [webhookTopic], projectId, order: "desc", after, limit: pageSize })
    const recent = page.filter((_) => DateTime.isGreaterThan(_.at, since))
    for (const { envelope } of recent) count += addressesIn(envelope)
    if (recent.length < pageSize) return count
    after = page.at(-1)?.sequence
  }
})

const addressesIn = (envelope: unknown): number => (isAsked(envelope) ? envelope.data.addresses : 0)
