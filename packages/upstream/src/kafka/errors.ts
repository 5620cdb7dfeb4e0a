import kafkajs from "kafkajs"
import { UpstreamError } from "../UpstreamError.ts"

/** What the library fails with, as every upstream fails: a refusal of the broker's, or no answer. */
export const errorOf =
  (call: string) =>
  (thrown: unknown): UpstreamError => {
    const error = firstOf(thrown)
    if (error instanceof kafkajs.KafkaJSSASLAuthenticationError) {
      return new UpstreamError({ upstream: "kafka", call, status: null, code: loginRefused, words: error.message })
    }
    return error instanceof kafkajs.KafkaJSProtocolError
      ? new UpstreamError({ upstream: "kafka", call, status: error.code, code: error.type, words: error.message })
      : new UpstreamError({
          upstream: "kafka",
          call,
          status: null,
          words: error instanceof Error ? error.message : "an unknown error"
        })
  }

/** As the protocol calls it; the library does not say which of its codes it was. */
const loginRefused = "SASL_AUTHENTICATION_FAILED"

/** The brokers do not accept the user or the password. */
export const isLoginRefused = ({ code }: UpstreamError): boolean => code === loginRefused

/** What began it: the library wraps errors when it gives up, and gathers those of several topics. */
const firstOf = (thrown: unknown): unknown => {
  if (thrown instanceof kafkajs.KafkaJSProtocolError) return thrown
  if (thrown instanceof kafkajs.KafkaJSAggregateError) return firstOf(thrown.errors[0])
  return thrown instanceof Error && thrown.cause instanceof Error ? firstOf(thrown.cause) : thrown
}

/** Somebody has removed the topic since it was last seen. */
export const isUnknownTopic = ({ code }: UpstreamError): boolean => code === "UNKNOWN_TOPIC_OR_PARTITION"

/** Somebody else has made the topic meanwhile. */
export const isTaken = ({ code }: UpstreamError): boolean => code === "TOPIC_ALREADY_EXISTS"
