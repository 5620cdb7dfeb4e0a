import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ActsOn, Authenticated, TenantScoped, Validated, WellFormed } from "./Access.ts"
import { failures } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"

/** A server's name is the group's plus nine characters, and has to be a host name (RFC 1123, section 2.1). */
const longestName = 53

const Label = Schema.String.check(
  Schema.isPattern(new RegExp(`^[a-z0-9]([a-z0-9-]{0,${longestName - 2}}[a-z0-9])?$`), {
    expected: `a label of 1 to ${longestName} characters a-z, 0-9 and hyphens that begins and ends with a letter or a digit`
  })
)

/** The id or name of a resource of another system. It becomes a path segment. */
const Reference = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(255),
  Schema.isPattern(/^(?!\.{1,2}$)[^\p{Cc}\p{Cs}/]*$/u, {
    expected: "an id or a name, without slashes and control characters"
  })
)

/** More than any tier allows. */
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 }))
const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 86_400 }))

/** Nova takes 65,535 characters of base64, which encode this many bytes. */
const longestUserData = 49_149

const UserData = Schema.String.check(
  Schema.makeFilter(
    (text: string) => text.isWellFormed() && new TextEncoder().encode(text).byteLength <= longestUserData,
    {
      expected: `text of at most ${longestUserData} bytes in UTF-8`
    }
  )
)

const template = {
  flavor_id: Reference,
  image_id: Reference,
  /** Default: the network of the onboarding. */
  network_id: Schema.optionalKey(Reference),
  /** One of the keypairs of the tenant's user. */
  key_name: Schema.optionalKey(Reference),
  /** Names or ids. Default: Nova's default group. */
  security_groups: Schema.optionalKey(Schema.Array(Reference).check(Schema.isMinLength(1), Schema.isMaxLength(10)))
}

/** The template of new servers. */
export const ServerTemplate = Schema.Struct({
  ...template,
  /** Not encoded. It cannot be read back. */
  user_data: Schema.optionalKey(UserData)
}).annotate({ identifier: "ServerTemplate" })
export type ServerTemplate = typeof ServerTemplate.Type

/** The content of the user data may hold secrets, so only `has_user_data` is shown. */
const TemplateShown = Schema.Struct({ ...template, has_user_data: Schema.Boolean }).annotate({
  identifier: "ServerTemplateShown"
})

export const AlarmState = Schema.Literals(["ok", "alarm", "insufficient_data"])
export type AlarmState = typeof AlarmState.Type

/** Adds or removes servers when an alarm changes to a state, or when the policy is triggered. */
export const ScalingPolicy = Schema.Struct({
  name: Label,
  adjustment: Schema.Int.check(
    Schema.isBetween({ minimum: -100, maximum: 100 }),
    Schema.makeFilter((_: number) => _ !== 0, { expected: "a number of servers more or fewer, and not 0" })
  ),
  /** Without an alarm, only a trigger applies the policy. */
  alarm_id: Schema.optionalKey(Reference),
  /** The state of the alarm. Default `alarm`. */
  on: Schema.optionalKey(Schema.Literals(["ok", "alarm"])),
  /** How long no policy of the group acts after this one. Default: the group's. */
  cooldown_seconds: Schema.optionalKey(Seconds)
}).annotate({ identifier: "ScalingPolicy" })
export type ScalingPolicy = typeof ScalingPolicy.Type

const Policies = Schema.Array(ScalingPolicy).check(
  Schema.isMaxLength(20),
  Schema.makeFilter(
    (all: ReadonlyArray<{ readonly name: string }>) => new Set(all.map((_) => _.name)).size === all.length,
    { expected: "policies of different names" }
  )
)

const inOrder = Schema.makeFilter(
  (_: { readonly min?: number; readonly max?: number; readonly desired?: number }) => {
    const numbers = [_.min, _.desired, _.max].filter((number) => number !== undefined)
    return numbers.every((number, at) => at === 0 || (numbers[at - 1] ?? 0) <= number)
  },
  { expected: "numbers in this order: min, desired, max" }
)

export const GroupCreate = Schema.Struct({
  /** Unique in the tenant. The servers' names begin with it. */
  name: Label,
  min: Count,
  max: Count,
  /** Default `min`. */
  desired: Schema.optionalKey(Count),
  template: ServerTemplate,
  /** How long no policy acts after another one. Default 300. */
  cooldown_seconds: Schema.optionalKey(Seconds),
  policies: Schema.optionalKey(Policies)
})
  .check(inOrder)
  .annotate({ identifier: "AutoscalingGroupCreate" })
export type GroupCreate = typeof GroupCreate.Type

/** Missing fields stay unchanged. Without `desired`, it is moved into the range of `min` and `max`. */
export const GroupChange = Schema.Struct({
  min: Schema.optionalKey(Count),
  max: Schema.optionalKey(Count),
  desired: Schema.optionalKey(Count),
  /** Replaces the whole template. Existing servers stay as they are. */
  template: Schema.optionalKey(ServerTemplate),
  cooldown_seconds: Schema.optionalKey(Seconds),
  /** Replaces all policies. */
  policies: Schema.optionalKey(Policies)
})
  .check(inOrder)
  .annotate({ identifier: "AutoscalingGroupChange" })
export type GroupChange = typeof GroupChange.Type

/**
 * `active`: the group has as many servers as desired. `scaling`: servers are
 * being created or removed. `limited`: a quota allows no more, see `reason`;
 * the group retries. `failing`: another cause prevents servers, or they end in
 * ERROR. `held`: the tenant is suspended, and gets no new server. `deleting`:
 * the group's servers are being removed.
 */
export const GroupState = Schema.Literals(["active", "scaling", "limited", "failing", "held", "deleting"])
export type GroupState = typeof GroupState.Type

export const AutoscalingGroup = Schema.Struct({
  group_id: Schema.String,
  name: Schema.String,
  min: Schema.Int,
  max: Schema.Int,
  desired: Schema.Int,
  template: TemplateShown,
  cooldown_seconds: Schema.Int,
  /** No policy acts before this moment; null when no cooldown runs. */
  cooldown_until: Schema.NullOr(Schema.String),
  policies: Schema.Array(ScalingPolicy),
  state: GroupState,
  reason: Schema.NullOr(Schema.String),
  /** As of `observed_at`, oldest first. A server's status is null until Nova has reported it. */
  servers: Schema.Array(
    Schema.Struct({
      server_id: Schema.String,
      status: Schema.NullOr(Schema.String),
      /** The server is being removed. */
      leaving: Schema.Boolean
    })
  ),
  observed_at: Schema.NullOr(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "AutoscalingGroup" })
export type AutoscalingGroup = typeof AutoscalingGroup.Type

/** The result of a trigger. */
export const Triggered = Schema.Struct({
  /** Whether `desired` changed. */
  applied: Schema.Boolean,
  /** Why `desired` did not change; `at_limit`: it is `min` or `max` already. */
  reason: Schema.NullOr(Schema.Literals(["cooldown", "at_limit"])),
  group: AutoscalingGroup
}).annotate({ identifier: "AutoscalingTriggered" })
export type Triggered = typeof Triggered.Type

const groupId = { group_id: Schema.String }

/** Both planes. */
export class Autoscaling extends HttpApiGroup.make("autoscaling")
  .add(
    HttpApiEndpoint.get("list", "/autoscaling/groups", {
      success: Schema.Struct({ count: Schema.Int, groups: Schema.Array(AutoscalingGroup) }).annotate({
        identifier: "AutoscalingGroupList"
      })
    }),
    HttpApiEndpoint.post("create", "/autoscaling/groups", {
      payload: GroupCreate,
      success: AutoscalingGroup.pipe(HttpApiSchema.status(201)),
      error: failures(
        "autoscaling_name_taken",
        "autoscaling_network",
        "ceiling_reached",
        "concurrent_change",
        "tenant_not_found",
        "tier_unreadable",
        "upstream_failed",
        "upstream_refused"
      )
    }).middleware(Creates),
    HttpApiEndpoint.get("show", "/autoscaling/groups/:group_id", {
      params: groupId,
      success: AutoscalingGroup,
      error: failures("autoscaling_group_not_found")
    }),
    HttpApiEndpoint.patch("update", "/autoscaling/groups/:group_id", {
      params: groupId,
      payload: GroupChange,
      success: AutoscalingGroup,
      error: failures(
        "autoscaling_group_deleting",
        "autoscaling_group_not_found",
        "autoscaling_network",
        "autoscaling_range",
        "ceiling_reached",
        "concurrent_change",
        "tenant_not_found",
        "tenant_suspended",
        "tier_unreadable",
        "upstream_failed",
        "upstream_refused"
      )
    }),
    HttpApiEndpoint.delete("remove", "/autoscaling/groups/:group_id", {
      params: groupId,
      success: AutoscalingGroup.pipe(HttpApiSchema.status(202)),
      error: failures("autoscaling_group_not_found", "concurrent_change")
    }),
    HttpApiEndpoint.post("trigger", "/autoscaling/groups/:group_id/policies/:policy/trigger", {
      params: { ...groupId, policy: Schema.String },
      success: Triggered,
      error: failures(
        "autoscaling_group_deleting",
        "autoscaling_group_not_found",
        "autoscaling_policy_not_found",
        "concurrent_change",
        "tenant_suspended"
      )
    })
      // A repeated trigger would scale twice.
      .middleware(Creates)
  )
  .annotateEndpoints(ActsOn, "compute")
  .middleware(WellFormed)
  .middleware(TenantScoped)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
