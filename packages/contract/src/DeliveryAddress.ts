import { Schema } from "effect"

/**
 * An address that events are sent to, at most 2048 characters. Whether it is one of the public internet, and `http://` is
 * allowed on this cloud, the gateway decides when it is stored and before each attempt.
 */
export const DeliveryAddress = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(2048),
  Schema.isPattern(/^https?:\/\//i, { expected: "an address that begins with https://" }).abort(),
  Schema.makeFilter((text: string) => /^[^\s\p{Cc}\p{Cs}]+$/u.test(text) && URL.canParse(text), {
    expected: "a valid address: with a host, and without white space and control characters"
  })
)
