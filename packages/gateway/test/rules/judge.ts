import type { CallerKind, PermissionTier, PolicyDeny } from "@portico/contract/Access"
import type { BadGateway, FailureCode } from "@portico/contract/Failures"
import type { PlatformCall, Refusal, Rule } from "@portico/gateway/proxy/rules/Rule"
import { rules } from "@portico/gateway/proxy/rules/rules"
import { Effect } from "effect"
import type { Spelling, Who } from "./Spelling.ts"

export type Read = PlatformCall["read"]

/** Nothing that a rule asks for is there, but for what the request itself is about. */
export const nothing: Read = ([kind]) => (kind === "address-groups" ? Effect.undefined : Effect.succeed({}))

/** Who calls, where more counts than the kind of caller. */
export interface By {
  readonly who: Who
  readonly tier: PermissionTier
  readonly kind?: CallerKind
  readonly denies?: ReadonlyArray<PolicyDeny>
}

const byOf = (who: Who | By): By => (typeof who === "string" ? { who, tier: 2 } : who)

/** A request line as the proxy takes it apart, with whatever is not said left plain. */
export const callOf = (
  { headers, method, path, query }: Pick<Spelling, "headers" | "method" | "path" | "query">,
  caller: Who | By = "machine",
  read: Read = nothing
): PlatformCall => {
  const { denies, kind, tier, who } = byOf(caller)
  const [service = "", ...segments] = path.slice(1).split("/")
  return {
    method,
    service,
    segments,
    query: new URLSearchParams(query ?? ""),
    headers: headers ?? {},
    caller: {
      admin: who === "operator",
      human: who !== "machine",
      tier,
      ...(kind === undefined ? {} : { kind }),
      ...(denies === undefined ? {} : { denies })
    },
    read
  }
}

/** Asks one rule as the proxy does: without the body unless it wants it. */
export const ask = (rule: Rule, call: PlatformCall, body: unknown): Effect.Effect<void, Refusal | BadGateway> => {
  switch (rule.concerns(call)) {
    case "nothing":
      return Effect.void
    case "head":
      return rule.check(call, undefined)
    case "body":
      return rule.check(call, body)
  }
}

/** What becomes of a request when the rules are asked: those of every gateway unless others are named. */
export const judge = (
  spelling: Pick<Spelling, "body" | "headers" | "method" | "path" | "query">,
  who: Who | By = "machine",
  read: Read = nothing,
  asked: ReadonlyArray<Rule> = rules
): Effect.Effect<"allowed" | FailureCode> => {
  const call = callOf(spelling, who, read)
  // What the client meant to send, as it arrives.
  const body: unknown = spelling.body === undefined ? undefined : JSON.parse(JSON.stringify(spelling.body))
  return Effect.forEach(asked, (rule) => ask(rule, call, body), { discard: true }).pipe(
    Effect.match({ onFailure: ({ code }) => code, onSuccess: () => "allowed" as const })
  )
}
