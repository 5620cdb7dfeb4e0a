import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ActsOn, Authenticated, TenantScoped, Validated, WellFormed } from "./Access.ts"
import { failures } from "./Failures.ts"
import { Creates } from "./Idempotency.ts"

/** A server's name is the group's with nine characters more, and has to be a host name (RFC 1123, section 2.1). */
const longestName = 53

const Label = Schema.String.check(
  Schema.isPattern(new RegExp(`^[a-z0-9]([a-z0-9-]{0,${longestName - 2}}[a-z0-9])?$`), {
    expected: `a label of 1 to ${longestName} characters a-z, 0-9 and hyphens that begins and ends with a letter or a digit`
  })
)

/** What a system calls something by. It becomes a segment of a path. */
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

/** Nova takes 65,535 characters of base64, which are so many bytes. */
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
  /** The network of the onboarding when it is left out. */
  network_id: Schema.optionalKey(Reference),
  /** One of the keypairs of the tenant's user. */
  key_name: Schema.optionalKey(Reference),
  /** Names or ids; Nova's default group when they are left out. */
  security_groups: Schema.optionalKey(Schema.Array(Reference).check(Schema.isMinLength(1), Schema.isMaxLength(10)))
}

/** What new servers are made of. */
export const ServerTemplate = Schema.Struct({
  ...template,
  /** As the server is to find it, not encoded. Nobody can read it back. */
  user_data: Schema.optionalKey(UserData)
}).annotate({ identifier: "ServerTemplate" })
export type ServerTemplate = typeof ServerTemplate.Type

/** `has_user_data`: what is in it, and secrets among it, is not told. */
const TemplateShown = Schema.Struct({ ...template, has_user_data: Schema.Boolean }).annotate({
  identifier: "ServerTemplateShown"
})

export const AlarmState = Schema.Literals(["ok", "alarm", "insufficient_data"])
export type AlarmState = typeof AlarmState.Type

/** So many servers more, or fewer, when an alarm turns to a state, or when it is triggered. */
export const ScalingPolicy = Schema.Struct({
  name: Label,
  adjustment: Schema.Int.check(
    Schema.isBetween({ minimum: -100, maximum: 100 }),
    Schema.makeFilter((_: number) => _ !== 0, { expected: "a number of servers more or fewer, and not 0" })
  ),
  /** Without one it is only triggered. */
  alarm_id: Schema.optionalKey(Reference),
  /** Which state of the alarm; `alarm` when it is left out. */
  on: Schema.optionalKey(Schema.Literals(["ok", "alarm"])),
  /** How long no policy of the group acts behind this one; the group's when it is left out. */
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
  /** Unique in the tenant; the servers' names begin with it. */
  name: Label,
  min: Count,
  max: Count,
  /** `min` when it is left out. */
  desired: Schema.optionalKey(Count),
  template: ServerTemplate,
  /** How long no policy acts behind one that has; 300 when it is left out. */
  cooldown_seconds: Schema.optionalKey(Seconds),
  policies: Schema.optionalKey(Policies)
})
  .check(inOrder)
  .annotate({ identifier: "AutoscalingGroupCreate" })
export type GroupCreate = typeof GroupCreate.Type

/** What is left out stays. Without `desired`, that follows `min` and `max`. */
export const GroupChange = Schema.Struct({
  min: Schema.optionalKey(Count),
  max: Schema.optionalKey(Count),
  desired: Schema.optionalKey(Count),
  /** The whole template. The servers that are there stay as they are. */
  template: Schema.optionalKey(ServerTemplate),
  cooldown_seconds: Schema.optionalKey(Seconds),
  /** All policies. */
  policies: Schema.optionalKey(Policies)
})
  .check(inOrder)
  .annotate({ identifier: "AutoscalingGroupChange" })
export type GroupChange = typeof GroupChange.Type

/**
 * `active`: as many servers as desired. `scaling`: on the way there.
 * `limited`: a quota refuses more, see `reason`; it is tried again. `failing`:
 * something else does, or servers end in ERROR. `held`: the tenant is
 * suspended, and gets no new server. `deleting`: its servers are being removed.
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
  /** Until then no policy acts; null when none has, or it is over. */
  cooldown_until: Schema.NullOr(Schema.String),
  policies: Schema.Array(ScalingPolicy),
  state: GroupState,
  reason: Schema.NullOr(Schema.String),
  /** As they were at `observed_at`, oldest first. Null until Nova has said anything of one. */
  servers: Schema.Array(
    Schema.Struct({
      server_id: Schema.String,
      status: Schema.NullOr(Schema.String),
      /** It is on its way out. */
      leaving: Schema.Boolean
    })
  ),
  observed_at: Schema.NullOr(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "AutoscalingGroup" })
export type AutoscalingGroup = typeof AutoscalingGroup.Type

/** What a policy came to. */
export const Triggered = Schema.Struct({
  /** Whether `desired` has changed. */
  applied: Schema.Boolean,
  /** Why it has not; `at_limit`: it is `min` or `max` already. */
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
      // Twice is a scaling too many.
      .middleware(Creates)
  )
  .annotateEndpoints(ActsOn, "compute")
  .middleware(WellFormed)
  .middleware(TenantScoped)
  .middleware(Authenticated)
  .middleware(Validated)
  .prefix("/v1") {}
