import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ActsOn } from "./Access.ts"
import { Billed, described, LongRunning, meanings, titled } from "./describe.ts"
import type { Waiting } from "./waiting.ts"
import { ceilingCodes, failures } from "./Failures.ts"
import { tenantRoutes } from "./groups.ts"
import { Creates } from "./Idempotency.ts"
import { wholeList } from "./Page.ts"

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
  flavor_id: Reference.annotateKey({
    description: "The flavor of new servers, by the compute service's id. It sets their processors and memory."
  }),
  image_id: Reference.annotateKey({ description: "The image that new servers start from, by the image service's id." }),
  network_id: Schema.optionalKey(Reference).annotateKey({
    description: "The network of new servers. Default: the network that the tenant got at its onboarding."
  }),
  key_name: Schema.optionalKey(Reference).annotateKey({
    description: "The name of a keypair of the tenant, for logins over SSH. Absent for none."
  }),
  security_groups: Schema.optionalKey(
    Schema.Array(Reference).check(Schema.isMinLength(1), Schema.isMaxLength(10))
  ).annotateKey({
    description:
      "The security groups of new servers, 1 to 10, by name or id. Default: the security group `default` of the " +
      "project."
  })
}

export const ServerTemplate = Schema.Struct({
  ...template,
  user_data: Schema.optionalKey(UserData).annotateKey({
    description:
      "The user data of a new server, such as a script for cloud-init. Plain text, not base64, of at most " +
      `${longestUserData} bytes in UTF-8. It cannot be read back. Absent for none.`
  })
}).annotate({
  identifier: "ServerTemplate",
  description:
    "The template of a group's new servers. The flavor, the image, the network and the keypair must exist when it " +
    "is sent, and be usable by the tenant; the gateway looks up security groups when it creates a server."
})
export type ServerTemplate = typeof ServerTemplate.Type

const TemplateShown = Schema.Struct({
  ...template,
  has_user_data: Schema.Boolean.annotateKey({
    description: "Whether new servers get user data. Its content is not shown, because it may hold secrets."
  })
}).annotate({ identifier: "ServerTemplateShown", description: "The template of a group's new servers." })

export const AlarmState = meanings(
  "The state of an alarm. While only some of its periods meet the rule, the state stays.",
  {
    ok: "No period meets the rule.",
    alarm: "All periods meet the rule.",
    insufficient_data: "The alarm was not evaluated yet, or there have been no measurements for some minutes."
  }
)
export type AlarmState = typeof AlarmState.Type

export const ScalingPolicy = Schema.Struct({
  name: Label.annotateKey({
    description:
      `The name, unique in the group, by which the policy is triggered: 1 to ${longestName} characters a-z, 0-9 and ` +
      "hyphens, with a letter or a digit at both ends."
  }),
  adjustment: Schema.Int.check(
    Schema.isBetween({ minimum: -100, maximum: 100 }),
    Schema.makeFilter((_: number) => _ !== 0, { expected: "a number of servers more or fewer, and not 0" })
  ).annotateKey({
    description:
      "How many servers more (positive) or fewer (negative) the group is to have, -100 to 100 and not 0. The result " +
      "stays within `min` and `max`."
  }),
  alarm_id: Schema.optionalKey(Reference).annotateKey({
    description: "The alarm that applies the policy. Absent: only a trigger applies it."
  }),
  on: Schema.optionalKey(
    meanings("The state of the alarm that applies the policy, once for each change to it. Default `alarm`.", {
      ok: "The alarm has changed to `ok`.",
      alarm: "The alarm has changed to `alarm`."
    })
  ),
  cooldown_seconds: Schema.optionalKey(Seconds).annotateKey({
    description:
      "How long no policy of the group acts after this one, in seconds, 0 to 86400. Default: the group's " +
      "`cooldown_seconds`."
  })
}).annotate({
  identifier: "ScalingPolicy",
  description: "Adds or removes servers when an alarm changes its state, or when the policy is triggered."
})
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

const least = "The least servers of the group, from 0 to `max`."
const most = "The most servers of the group, at most the instances of the tenant's tier."

const cooldown = "How long no policy acts after another one, in seconds, 0 to 86400."

export const GroupCreate = Schema.Struct({
  name: Label.annotateKey({
    description:
      "The name, unique in the tenant, with which the names of the servers begin. It never changes. 1 to " +
      `${longestName} characters a-z, 0-9 and hyphens, with a letter or a digit at both ends.`
  }),
  min: Count.annotateKey({ description: least }),
  max: Count.annotateKey({ description: most }),
  desired: Schema.optionalKey(Count).annotateKey({
    description: "The number of servers that the group keeps running, from `min` to `max`. Default: `min`."
  }),
  template: ServerTemplate.annotateKey({ description: "The template of the servers." }),
  cooldown_seconds: Schema.optionalKey(Seconds).annotateKey({ description: `${cooldown} Default 300.` }),
  policies: Schema.optionalKey(Policies).annotateKey({
    description: "The policies that change `desired` automatically, at most 20 of different names. Default: none."
  })
})
  .annotate({ description: "A new autoscaling group. `min` is at most `desired`, and `desired` at most `max`." })
  .check(inOrder)
  .annotate({ identifier: "AutoscalingGroupCreate" })
export type GroupCreate = typeof GroupCreate.Type

export const GroupChange = Schema.Struct({
  min: Schema.optionalKey(Count).annotateKey({ description: least }),
  max: Schema.optionalKey(Count).annotateKey({ description: most }),
  desired: Schema.optionalKey(Count).annotateKey({
    description:
      "The number of servers that the group keeps running, from `min` to `max`. Default: unchanged, but moved into a " +
      "changed range."
  }),
  template: Schema.optionalKey(ServerTemplate).annotateKey({
    description:
      "Replaces the whole template, from which the gateway creates new servers; existing ones stay as they are."
  }),
  cooldown_seconds: Schema.optionalKey(Seconds).annotateKey({ description: cooldown }),
  policies: Schema.optionalKey(Policies).annotateKey({
    description: "Replaces all policies; at most 20 of different names."
  })
})
  .annotate({ description: "A change of an autoscaling group. Fields that are left out stay as they are." })
  .check(inOrder)
  .annotate({ identifier: "AutoscalingGroupChange" })
export type GroupChange = typeof GroupChange.Type

export const GroupState = meanings("How far the group is with the last request.", {
  active: "It has as many servers as desired, and none is being built or removed.",
  scaling: "Servers are being built or removed. Wait.",
  limited:
    "A quota refuses more servers; `reason` has the compute service's message. The group tries again after a " +
    "growing pause.",
  failing:
    "The compute service refuses servers for another cause, or they end in `ERROR`; `reason` says which. The group " +
    "tries again after a growing pause, and once an hour after five servers in a row.",
  held: "The tenant is suspended: the servers stay, and the gateway creates none.",
  deleting: "The servers are being removed, and then the group."
})
export type GroupState = typeof GroupState.Type

export const AutoscalingGroup = Schema.Struct({
  group_id: Schema.String.annotateKey({ description: "The group's id: `asg-` and 12 hexadecimal digits." }),
  name: Schema.String.annotateKey({ description: "The name, unique in the tenant. It never changes." }),
  min: Schema.Int.annotateKey({ description: "The least servers of the group." }),
  max: Schema.Int.annotateKey({ description: "The most servers of the group." }),
  desired: Schema.Int.annotateKey({
    description: "The number of servers that the group keeps running. Policies change it within `min` and `max`."
  }),
  template: TemplateShown.annotateKey({ description: "The template of new servers." }),
  cooldown_seconds: Schema.Int.annotateKey({ description: "How long no policy acts after another one, in seconds." }),
  cooldown_until: Schema.NullOr(Schema.String).annotateKey({
    description:
      "No policy acts before this moment. RFC 3339, UTC. A past moment means nothing any more. Null until a policy " +
      "has first acted."
  }),
  policies: Schema.Array(ScalingPolicy).annotateKey({
    description: "The policies that change `desired` automatically."
  }),
  state: GroupState,
  reason: Schema.NullOr(Schema.String).annotateKey({
    description: "Why the group does not have its servers. Null while nothing keeps it from them."
  }),
  servers: Schema.Array(
    Schema.Struct({
      server_id: Schema.String.annotateKey({ description: "The server, by the compute service's id." }),
      status: Schema.NullOr(Schema.String).annotateKey({
        description:
          "The compute service's status of the server, such as `BUILD`, `ACTIVE`, `SHUTOFF` or `ERROR`. Null until " +
          "it has reported one."
      }),
      leaving: Schema.Boolean.annotateKey({ description: "Whether the server is being removed." })
    })
  ).annotateKey({ description: "The servers of the group as of `observed_at`, oldest first." }),
  observed_at: Schema.NullOr(Schema.String).annotateKey({
    description:
      "When the gateway last read the servers, about once a minute or more often. RFC 3339, UTC. Null before the " +
      "first time."
  }),
  created_at: Schema.String.annotateKey({ description: "When the group was created. RFC 3339, UTC." })
}).annotate({ identifier: "AutoscalingGroup", description: "A group that keeps a number of equal servers running." })
export type AutoscalingGroup = typeof AutoscalingGroup.Type

export const Triggered = Schema.Struct({
  applied: Schema.Boolean.annotateKey({ description: "Whether `desired` changed." }),
  reason: Schema.NullOr(
    meanings("Why `desired` did not change.", {
      cooldown: "A policy of the group acted a short while ago; see the group's `cooldown_until`.",
      at_limit: "`desired` is at `min` or `max` already."
    })
  ).annotateKey({ description: "Null when `desired` changed." }),
  group: AutoscalingGroup.annotateKey({ description: "The group after the call." })
}).annotate({ identifier: "AutoscalingTriggered", description: "The effect of triggering a policy." })
export type Triggered = typeof Triggered.Type

const groupId = { group_id: Schema.String.annotateKey({ description: "The id of the group." }) }

/** Of operations that end when the group has its servers. */
const untilActive: Waiting = {
  read: "autoscaling.show",
  field: "state",
  done: ["active"],
  failed: ["limited", "failing", "held"],
  topic: "asg.lifecycle"
}

export class Autoscaling extends HttpApiGroup.make("autoscaling")
  .add(
    HttpApiEndpoint.get("list", "/autoscaling/groups", {
      success: wholeList("AutoscalingGroupList", {
        groups: Schema.Array(AutoscalingGroup).annotateKey({ description: "All groups of the tenant, oldest first." })
      })
    }).annotateMerge(
      described(
        "List autoscaling groups",
        "Returns all groups of the tenant as the gateway last read them; it does not ask the compute service. " +
          "There are no pages: a tenant has 20 groups at most."
      )
    ),
    HttpApiEndpoint.post("create", "/autoscaling/groups", {
      payload: GroupCreate,
      success: AutoscalingGroup.pipe(HttpApiSchema.status(201)),
      error: failures(
        ...ceilingCodes,
        "autoscaling_name_taken",
        "autoscaling_network",
        "policy_denied",
        "upstream_failed",
        "upstream_refused"
      )
    })
      .annotateMerge(
        described(
          "Create an autoscaling group",
          "Makes a group and begins at once to make its servers, at most five at a time. The servers are the " +
            "tenant's own: they count against its compute quota, and each is billed like any other server. `max` is " +
            "at most the instances of the tier, and a tenant has at most 20 groups (409 `ceiling_reached` with the " +
            "numbers). A template that names something that does not exist is a 422 with the platform's message, " +
            "and one whose image brings volumes is a 403 (`policy_denied`) for a caller to whom a policy denies " +
            "`volume`. The gateway does not check the quota now: a group that reaches it is `limited` and tries " +
            "again."
        )
      )
      .annotate(LongRunning, untilActive)
      .annotate(Billed, true)
      .middleware(Creates),
    HttpApiEndpoint.get("show", "/autoscaling/groups/:group_id", {
      params: groupId,
      success: AutoscalingGroup,
      error: failures("autoscaling_group_not_found")
    }).annotateMerge(
      described(
        "Show an autoscaling group",
        "Returns a group with its servers as the gateway last read them (`observed_at`): every few seconds while " +
          "something changes, else every minute."
      )
    ),
    HttpApiEndpoint.patch("update", "/autoscaling/groups/:group_id", {
      params: groupId,
      payload: GroupChange,
      success: AutoscalingGroup,
      error: failures(
        ...ceilingCodes,
        "autoscaling_group_deleting",
        "autoscaling_group_not_found",
        "autoscaling_network",
        "autoscaling_range",
        "policy_denied",
        "tenant_suspended",
        "upstream_failed",
        "upstream_refused"
      )
    })
      .annotateMerge(
        described(
          "Change an autoscaling group",
          "Changes the numbers, the template or the policies, and begins at once to make or remove servers. **Fewer " +
            "servers means that the newest ones are deleted with all their data**, although deleting a server by " +
            "itself needs tier 2. A new template applies to new servers alone. The change also ends the pauses of a " +
            "group that was `limited` or `failing`. A suspended tenant can lower the numbers, and not raise them " +
            "(403)."
        )
      )
      .annotate(LongRunning, untilActive)
      .annotate(Billed, true),
    HttpApiEndpoint.delete("remove", "/autoscaling/groups/:group_id", {
      params: groupId,
      success: AutoscalingGroup.pipe(HttpApiSchema.status(202)),
      error: failures("autoscaling_group_not_found", "concurrent_change")
    })
      .annotateMerge(
        described(
          "Delete an autoscaling group",
          "Deletes all servers of the group with their data, and then the group. The response comes before: the group " +
            "is `deleting` until its last server no longer exists, and then answers 404. A deletion cannot be " +
            "taken back, and may be repeated meanwhile. Alarms that watch the group stay."
        )
      )
      .annotate(LongRunning, { ...untilActive, done: [], failed: [], gone: true }),
    HttpApiEndpoint.post("trigger", "/autoscaling/groups/:group_id/policies/:policy/trigger", {
      params: {
        ...groupId,
        policy: Schema.String.annotateKey({ description: "The name of a policy of the group." })
      },
      success: Triggered,
      error: failures(
        "autoscaling_group_deleting",
        "autoscaling_group_not_found",
        "autoscaling_policy_not_found",
        "concurrent_change",
        "policy_denied",
        "tenant_suspended",
        "upstream_failed",
        "upstream_refused"
      )
    })
      .annotateMerge(
        described(
          "Trigger a scaling policy",
          "Applies a policy once, as its alarm would, whether or not it names an alarm. It takes no body. A " +
            "running cooldown and a group at its limit are not errors: `applied` is false and `reason` says why. " +
            "A policy that lowers `desired` deletes servers with all their data. Each repetition scales again, once " +
            "the cooldown is over."
        )
      )
      .annotate(Billed, true)
      // A repeated trigger would scale twice.
      .middleware(Creates)
  )
  .annotateEndpoints(ActsOn, ["compute"])
  .annotateMerge(
    titled(
      "Autoscaling",
      "Groups of equal servers. A group keeps the `desired` number of servers running: it makes missing ones from a " +
        "template, removes surplus ones, newest first, and replaces those that break or are deleted. A policy " +
        "changes the number when an alarm changes its state, at most once in a cooldown. Keep no data on a group's " +
        "servers alone."
    )
  )
  .pipe(tenantRoutes) {}
