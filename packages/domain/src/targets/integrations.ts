import type { Caller } from "@portico/contract/Access"
import { Conflict, NotFound, Unprocessable } from "@portico/contract/Failures"
import type {
  ConfirmRequest,
  Integration,
  IntegrationChange,
  IntegrationCreate,
  IntegrationRotate
} from "@portico/contract/Integrations"
import { type TargetEntry, Targets } from "@portico/store/Targets"
import { Transactions } from "@portico/store/Transactions"
import { DateTime, Effect } from "effect"
import { type RecipientEntry, recipientsOf, shownEndpointOf } from "../deliveries/settings.ts"
import { newEndpoint } from "./endpoint.ts"
import { agreedWith, askedOf } from "./recipients.ts"
import { targetsOf } from "./targetsOf.ts"
import { commonToWire } from "./toWire.ts"
import { unconfirmed } from "./written.ts"

/** Without a channel's secret address, and the values of headers. */
const toWire = Effect.fnUntraced(function* (entry: TargetEntry) {
  const { kind } = entry
  if (kind === "webhook") return yield* Effect.die(`the target ${entry.target_id} is no integration`)
  const endpoint = kind === "email" ? undefined : yield* shownEndpointOf(entry)
  const recipients = kind === "email" ? yield* recipientsOf(entry) : undefined
  return {
    integration_id: entry.target_id,
    kind,
    name: entry.name ?? "",
    recipients: recipients?.map(({ address, confirmed_at }) => ({ address, confirmed_at })) ?? null,
    url: endpoint?.url ?? null,
    headers: kind === "generic" ? (endpoint?.headers ?? []) : null,
    ...(yield* commonToWire(entry))
  } satisfies Integration
})

const { all, alone, change, insert, rotate, shared, underLease, write } = targetsOf({
  name: "integration",
  absent: NotFound.integration,
  disabled: Conflict.integrationDisabled,
  toWire
})

export const integrations = {
  ...shared,

  /**
   * Creates an integration. An e-mail integration starts when an address agrees.
   *
   * Errors: 409 without a mail server, and when too many addresses were asked; 422 for an address that nothing is sent
   * to; 502 when mail cannot be sent.
   */
  create: Effect.fn("integrations.create")(function* (
    caller: Caller,
    projectId: string,
    { headers = [], to = [], url = "", ...request }: IntegrationCreate
  ) {
    const destination = Effect.fnUntraced(function* (targetId: string) {
      return request.kind === "email"
        ? { settings: { recipients: yield* askedOf(projectId, targetId, to, []) }, secrets: [] }
        : stored(yield* newEndpoint(targetId, { url, headers }))
    })
    return yield* toWire(yield* insert(caller, projectId, request, destination))
  }),

  /**
   * Changes the given fields. With `to`, addresses that have agreed stay confirmed, and all others are asked again.
   *
   * Errors: 422 for a field that its kind does not have; the others as for `create`.
   *
   * @param caller who asks for it; absent for the platform itself
   */
  update: Effect.fn("integrations.update")(function* (
    projectId: string,
    integrationId: string,
    { headers, to, url, ...request }: IntegrationChange,
    caller?: Caller
  ) {
    return yield* underLease(projectId, integrationId, caller, (held) =>
      Effect.flatMap(destinationOf(held, { headers, to, url }), (_) => change(held, { ...request, ..._ }, caller))
    )
  }),

  /**
   * Gives a `slack` or `generic` integration a new address, new headers, or both. Until the overlap ends, an event that
   * the new ones are refused for goes to the previous ones.
   *
   * Errors: 422 as for `update`, also for an integration by mail, which has no secret.
   */
  rotateSecret: Effect.fn("integrations.rotateSecret")(function* (
    projectId: string,
    integrationId: string,
    { overlap_seconds, ...named }: IntegrationRotate,
    caller?: Caller
  ) {
    const of_agent = caller?.kind === "mcp"
    return yield* underLease(projectId, integrationId, caller, (held) =>
      Effect.flatMap(endpointOf(held, named), ({ secret, settings }) =>
        rotate(held, secret, overlap_seconds, { settings, of_agent })
      )
    )
  }),

  /**
   * Confirms the address that the code was mailed to: a client that knows the code has read the mail. With the first
   * confirmed address mail starts, unless the tenant has disabled the integration.
   *
   * Errors: 422 for a code that no address waits for.
   */
  confirm: Effect.fn("integrations.confirm")(function* (
    projectId: string,
    integrationId: string,
    { code }: ConfirmRequest
  ) {
    const agree = Effect.fnUntraced(function* (held: TargetEntry) {
      const known = held.kind === "email" ? yield* recipientsOf(held) : []
      const recipients = agreedWith(known, code, yield* DateTime.now)
      if (recipients === undefined) return yield* Unprocessable.confirmation()
      return yield* write(held, { settings: { recipients } })
    })
    return yield* underLease(projectId, integrationId, undefined, agree)
  })
}

/**
 * Removes an address from all integrations of the project, after its person has left. An integration without a
 * confirmed address left is disabled until another one agrees.
 *
 * Errors: 409 while the project's integrations are being changed.
 */
export const dropRecipient = Effect.fn("integrations.dropRecipient")(function* (projectId: string, address: string) {
  const isTheirs = (_: { readonly address: string }) => _.address.toLowerCase() === address.toLowerCase()
  const theirs = Effect.fnUntraced(function* () {
    const mails = (yield* all(projectId)).filter((_) => _.kind === "email")
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
  yield* alone(projectId)(drop)
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

type Named = { readonly [Field in "headers" | "to" | "url"]?: IntegrationChange[Field] | undefined }

/** The new destination, as far as the change names one. */
const destinationOf = Effect.fnUntraced(function* (held: TargetEntry, { to, ...named }: Named) {
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
const endpointOf = Effect.fnUntraced(function* (held: TargetEntry, { headers, url }: Omit<Named, "to">) {
  if (held.kind === "email")
    return yield* Unprocessable.integrationField(held.kind, url === undefined ? "headers" : "url")
  if (held.kind === "slack" && headers !== undefined) return yield* Unprocessable.integrationField(held.kind, "headers")
  return yield* newEndpoint(held.target_id, { url, headers }, held)
})
