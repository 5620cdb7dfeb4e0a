import { Schema } from "effect"
import { mounts, type ServiceName } from "./Wire.ts"

// What a person writes for the cloud, over the control API or in a seed.

export const services: ReadonlyArray<ServiceName> = Object.values(mounts)

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const Method = Schema.String.check(Schema.isPattern(/^[A-Z]+$/, { expected: "a method in capitals" }))

export const FaultRule = Schema.Struct({
  service: Schema.Literals(services),
  method: Method,
  path: Schema.String.check(Schema.isPattern(/^(\/|\*)/, { expected: "a path below the mount, or **" })),
  nth: Schema.optionalKey(Count),
  times: Schema.optionalKey(Schema.Union([Count, Schema.Literal("always")])),
  when: Schema.Literals(["before", "after"]),
  as: Schema.Union([
    Schema.Struct({
      status: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 599 })),
      body: Schema.optionalKey(Schema.Unknown)
    }),
    Schema.Struct({ delay_ms: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)) }),
    Schema.Literals(["hang", "reset", "garbage"])
  ])
})

/** Records of the DNS outside the cloud. */
export const Records = Schema.Struct({
  name: Schema.NonEmptyString,
  type: Schema.Literals(["A", "AAAA", "CNAME", "TXT", "MX", "NS", "SOA"]),
  records: Schema.Array(Schema.String),
  ttl: Schema.optionalKey(Count)
})
