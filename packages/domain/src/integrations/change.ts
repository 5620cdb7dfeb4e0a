import type { Caller } from "@portico/contract/Access"
import { tenantTopics } from "@portico/contract/Events"
import { Conflict, NotFound, Unprocessable } from "@portico/contract/Failures"
import type {
  ConfirmRequest,
  IntegrationChange,
  IntegrationCreate,
  IntegrationRotate
} from "@portico/contract/Integrations"
import { EventLog } from "@portico/store/EventLog"
import { type TargetEntry, Targets, type TargetWish } from "@portico/store/Targets"
import { Transactions } from "@portico/store/Transactions"
import { DateTime, Duration, Effect } from "effect"
import { sendsMore } from "../deliveries/targets.ts"
import { unlessAgentEnded } from "../deliveries/unlessAgentEnded.ts"
import { randomUUID } from "node:crypto"
import { exclusively } from "../exclusively.ts"
import { RunToCompletion } from "../RunToCompletion.ts"
import { tierOf } from "../ceilings/tenantTier.ts"
import { rotatedSecrets } from "../deliveries/secrets.ts"
import { type IntegrationEntry, type RecipientEntry, recipientsOf } from "./settings.ts"
import { newEndpoint } from "./endpoint.ts"
import { ownIntegration, ownIntegrations, toWire } from "./read.ts"
import { agreedWith, askedOf } from "./recipients.ts"

/** The most integrations of a tenant. */
export const mostIntegrations = 10

/** The reason of an e-mail integration without a confirmed address. */
export const unconfirmed = "None of its addresses has agreed yet"

/**
 * Creates an integration. It sends the events from now on; an e-mail integration starts when an
 * address agrees.
 *
 * Errors: 401 for an agent that was ended meanwhile, whose integration is disabled; 409 at the
 * ceiling, with the numbers, without a mail server, and when too many addresses were asked; 422 for
 * an address that nothing is sent to; 502 when mail cannot be sent; 503 when the tier cannot be read.
 */
export const createIntegration = Effect.fn("integrations.create")(function* (
  caller: Caller,
  projectId: string,
  request: IntegrationCreate
) {
  const { suspended } = yield* tierOf(projectId)
  const limit = suspended ? 0 : mostIntegrations
  const target_id = randomUUID()

  const make = Effect.gen(function* () {
    const used = (yield* ownIntegrations(projectId)).length
    if (used + 1 > limit) return yield* Conflict.ceilingReached("integrations", "", { requested: 1, used, limit })
    const where =
      request.kind === "email"
        ? { settings: { recipients: yield* askedOf(projectId, target_id, request.to ?? [], []) }, secrets: [] }
        : stored(yield* newEndpoint(target_id, { url: request.url ?? "", headers: request.headers ?? [] }))
    const insert = Effect.gen(function* () {
      const entry = yield* (yield* Targets).insert({
        target_id,
        project_id: projectId,
        kind: request.kind,
        name: request.name,
        ...where,
        topics: request.topics ?? [],
        kinds: request.kinds ?? [],
        from_sequence: yield* (yield* EventLog).newest(tenantTopics),
        state: request.enabled === false ? "disabled" : "active",
        created_by: caller.userId,
        of_agent: caller.kind === "mcp"
      })
      return yield* settled(entry, undefined)
    })
    return yield* (yield* Transactions).atomically(insert)
  })
  return yield* toWire(yield* writtenBy(caller, underTenantLease(projectId)(make)))
})

/**
 * Changes the given fields. With `to`, addresses that have agreed stay confirmed, and all others
 * are asked again. A disabled integration drops its waiting events.
 *
 * Errors: 404 alike for another tenant's integration, an unknown one and a malformed id; 422 for a
 * field that its kind does not have; the others as for {@link createIntegration}.
 *
 * @param caller who asks for it; absent for the platform itself
 */
export const updateIntegration = Effect.fn("integrations.update")(function* (
  projectId: string,
  integrationId: string,
  request: IntegrationChange,
  caller?: Caller
) {
  const change = Effect.gen(function* () {
    const held = yield* ownIntegration(projectId, integrationId)
    const where = yield* destinationOf(held, request)
    const { enabled, kinds, name, topics } = request
    const wish: TargetWish = {
      ...(name === undefined ? {} : { name }),
      ...(kinds === undefined ? {} : { kinds }),
      ...(topics === undefined ? {} : { topics }),
      ...where,
      ...(sendsMore({ enabled, kinds, topics, ...where }) ? { of_agent: caller?.kind === "mcp" } : {})
    }
    return yield* written(projectId, integrationId, wish, enabled)
  })
  yield* ownIntegration(projectId, integrationId)
  return yield* toWire(yield* writtenBy(caller, underTenantLease(projectId)(change)))
})

/**
 * Gives a `slack` or `generic` integration a new address, new headers, or both. Until the overlap
 * ends, an event that the new ones are refused for goes to the previous ones.
 *
 * Errors: 404 and 422 as for {@link updateIntegration}, also for an integration by mail, which has no
 * secret; 409 while another change is under way.
 */
export const rotateIntegration = Effect.fn("integrations.rotateSecret")(function* (
  projectId: string,
  integrationId: string,
  { overlap_seconds, ...named }: IntegrationRotate,
  caller?: Caller
) {
  const rotate = Effect.gen(function* () {
    const held = yield* ownIntegration(projectId, integrationId)
    const { secret, settings } = yield* endpointOf(held, named)
    const secrets = rotatedSecrets(held.secrets, secret, yield* DateTime.now, Duration.seconds(overlap_seconds))
    const changed = yield* (yield* Targets).change(projectId, integrationId, {
      settings,
      secrets,
      of_agent: caller?.kind === "mcp"
    })
    return changed ?? (yield* NotFound.integration(integrationId))
  })
  yield* ownIntegration(projectId, integrationId)
  return yield* toWire(yield* writtenBy(caller, underTenantLease(projectId)(rotate)))
})

/**
 * Removes an integration with its waiting events.
 *
 * Errors: 404 alike for another tenant's integration, an unknown one, a malformed id and one that
 * is removed already.
 */
export const removeIntegration = Effect.fn("integrations.remove")(function* (projectId: string, integrationId: string) {
  yield* ownIntegration(projectId, integrationId)
  const removed = yield* (yield* Targets).remove(projectId, integrationId)
  return yield* toWire(removed ?? (yield* NotFound.integration(integrationId)))
})

/**
 * Confirms the address that the code was mailed to: a client that knows the code has read the mail.
 * With the first confirmed address mail starts, unless the tenant has disabled the integration.
 *
 * Errors: 404 as for {@link updateIntegration}; 422 for a code that no address waits for.
 */
export const confirmAddress = Effect.fn("integrations.confirm")(function* (
  projectId: string,
  integrationId: string,
  { code }: ConfirmRequest
) {
  const agree = Effect.gen(function* () {
    const held = yield* ownIntegration(projectId, integrationId)
    const known = held.kind === "email" ? yield* recipientsOf(held) : []
    const recipients = agreedWith(known, code, yield* DateTime.now)
    if (recipients === undefined) return yield* Unprocessable.confirmation()
    return yield* written(projectId, integrationId, { settings: { recipients } }, undefined)
  })
  yield* ownIntegration(projectId, integrationId)
  return yield* toWire(yield* underTenantLease(projectId)(agree))
})

/**
 * Removes an address from all integrations of the project, after its person has left. An
 * integration without a confirmed address left is disabled until another one agrees.
 *
 * Errors: 409 while the project's integrations are being changed.
 */
export const dropRecipient = Effect.fn("integrations.dropRecipient")(function* (projectId: string, address: string) {
  const isTheirs = (_: { readonly address: string }) => _.address.toLowerCase() === address.toLowerCase()
  const theirs = Effect.fnUntraced(function* () {
    const mails = (yield* ownIntegrations(projectId)).filter((_) => _.kind === "email")
    const known = yield* Effect.forEach(mails, (_) => Effect.map(recipientsOf(_), (all) => [_.target_id, all] as const))
    return known.filter(([, all]) => all.some(isTheirs))
  })
  // Usually no integration has the address, and then no lease is needed.
  if (address === "" || (yield* theirs()).length === 0) return
  const drop = Effect.gen(function* () {
    for (const [id, recipients] of yield* theirs()) {
      yield* withoutRecipients(
        projectId,
        id,
        recipients.filter((_) => !isTheirs(_))
      )
    }
  })
  yield* underTenantLease(projectId)(drop)
})

const withoutRecipients = Effect.fnUntraced(function* (
  projectId: string,
  integrationId: string,
  recipients: ReadonlyArray<RecipientEntry>
) {
  const targets = yield* Targets
  const agreed = recipients.some((_) => _.confirmed_at !== null)
  yield* (yield* Transactions).atomically(
    Effect.gen(function* () {
      const entry = yield* targets.change(projectId, integrationId, { settings: { recipients } })
      if (entry?.state === "active" && !agreed) yield* targets.disable(projectId, integrationId, unconfirmed)
    })
  )
})

/** The new destination, as far as the change names one. */
const destinationOf = Effect.fnUntraced(function* (held: IntegrationEntry, { to, ...named }: IntegrationChange) {
  if (to !== undefined && held.kind !== "email") return yield* Unprocessable.integrationField(held.kind, "to")
  if (named.url !== undefined || named.headers !== undefined) return stored(yield* endpointOf(held, named))
  if (to === undefined) return {}
  return { settings: { recipients: yield* askedOf(held.project_id, held.target_id, to, yield* recipientsOf(held)) } }
})

/** The stored form of an address and headers that replace all others. */
const stored = ({ secret, settings }: Effect.Success<ReturnType<typeof newEndpoint>>) => ({
  settings,
  secrets: [secret]
})

/** The new address and headers of an integration that has them. */
const endpointOf = Effect.fnUntraced(function* (
  held: IntegrationEntry,
  { headers, url }: Pick<IntegrationChange, "headers" | "url">
) {
  if (held.kind === "email")
    return yield* Unprocessable.integrationField(held.kind, url === undefined ? "headers" : "url")
  if (held.kind === "slack" && headers !== undefined) return yield* Unprocessable.integrationField(held.kind, "headers")
  return yield* newEndpoint(held.target_id, { url, headers }, held)
})

/** Stores the change and the resulting state in one transaction. */
const written = Effect.fnUntraced(function* (
  projectId: string,
  integrationId: string,
  wish: TargetWish,
  enabled: boolean | undefined
) {
  const targets = yield* Targets
  return yield* (yield* Transactions).atomically(
    Effect.gen(function* () {
      const entry = yield* targets.change(projectId, integrationId, wish)
      return yield* settled(entry ?? (yield* NotFound.integration(integrationId)), enabled)
    })
  )
})

/** Sets the state that the tenant wants, except that mail waits for a confirmed address. */
const settled = Effect.fnUntraced(function* (entry: TargetEntry, enabled: boolean | undefined) {
  const waits = entry.disabled_reason === unconfirmed
  const wanted = enabled ?? (entry.state === "active" || waits)
  const ready = entry.kind !== "email" || (yield* recipientsOf(entry)).some((_) => _.confirmed_at !== null)
  if (wanted && ready) return yield* enabledAgain(entry)
  if (entry.state === "disabled" && enabled === undefined && !waits) return entry
  const reason = wanted ? unconfirmed : null
  if (entry.state === "disabled" && entry.disabled_reason === reason) return entry
  // A disabled integration must be enabled before it can be disabled for another reason.
  const active = yield* enabledAgain(entry)
  return (yield* (yield* Targets).disable(entry.project_id, entry.target_id, reason)) ?? active
})

const enabledAgain = Effect.fnUntraced(function* (entry: TargetEntry) {
  if (entry.state === "active") return entry
  const from = yield* (yield* EventLog).newest(tenantTopics)
  return (yield* (yield* Targets).enable(entry.project_id, entry.target_id, from)) ?? entry
})

/** Writes an integration, and looks whether the agent that asked was ended; a client that hangs up stops neither. */
const writtenBy = Effect.fnUntraced(function* <E, R>(
  caller: Caller | undefined,
  write: Effect.Effect<TargetEntry, E, R>
) {
  const { run } = yield* RunToCompletion
  return yield* run(Effect.tap(write, (_) => unlessAgentEnded(caller, _)))
})

/** Runs one change of a tenant's integrations at a time, including the mails that it sends. */
const underTenantLease = (projectId: string) =>
  exclusively(`integrations/${projectId}`, () => Conflict.concurrentChange("the tenant's integrations"))
