import kafkajs from "kafkajs"
import { UpstreamError } from "../UpstreamError.ts"

/** Maps a failure of the library to an UpstreamError: an error of the broker, or no response. */
export const errorOf =
  (call: string) =>
  (thrown: unknown): UpstreamError => {
    const error = firstOf(thrown)
    if (error instanceof kafkajs.KafkaJSSASLAuthenticationError) {
      return new UpstreamError({ upstream: "kafka", call, status: null, code: loginRefused, detail: error.message })
    }
    return error instanceof kafkajs.KafkaJSProtocolError
      ? new UpstreamError({ upstream: "kafka", call, status: error.code, code: error.type, detail: error.message })
      : new UpstreamError({
          upstream: "kafka",
          call,
          status: null,
          detail: detailOf(error)
        })
  }

const detailOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "an unknown error"
  // The library drops the brokers' reason: a missing right looks like a missing coordinator.
  return error.name === "KafkaJSGroupCoordinatorNotFound"
    ? "no coordinator of the consumer group was found, or the user may not read the group"
    : error.message
}

/** The protocol's name of the error. The library does not expose which of its codes it was. */
const loginRefused = "SASL_AUTHENTICATION_FAILED"

/** The brokers rejected the user or the password. */
export const isLoginRefused = ({ code }: UpstreamError): boolean => code === loginRefused

/** The root cause: the library wraps errors when it gives up, and aggregates those of several topics. */
const firstOf = (thrown: unknown): unknown => {
  if (thrown instanceof kafkajs.KafkaJSProtocolError) return thrown
  if (thrown instanceof kafkajs.KafkaJSAggregateError) return firstOf(thrown.errors[0])
  return thrown instanceof Error && thrown.cause instanceof Error ? firstOf(thrown.cause) : thrown
}

/** The topic was removed since it was last seen. */
export const isUnknownTopic = ({ code }: UpstreamError): boolean => code === "UNKNOWN_TOPIC_OR_PARTITION"

/** Another client has created the topic meanwhile. */
export const isTaken = ({ code }: UpstreamError): boolean => code === "TOPIC_ALREADY_EXISTS"
