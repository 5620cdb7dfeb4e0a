import { Result } from "effect"
import type { Answer, Step } from "../../Wire.ts"
import { type Code, hostId, requestId, statuses } from "../errors.ts"
import { documentOf, type Element, parsed, type Xml } from "./xml.ts"

const requested = { "x-amz-request-id": requestId }
const ranged = { "accept-ranges": "bytes" }

/** The errors that have a message. */
const messages: Partial<Readonly<Record<Code, string>>> = {
  InvalidLocationConstraint: "The specified location-constraint is not valid",
  NoSuchBucketPolicy: "The bucket policy does not exist"
}

/** An error. Errors before the authentication name no bucket. A HEAD has the length too, without the body. */
const errorAnswer = (code: Code, bucket?: string, message = messages[code] ?? ""): Answer => {
  const body = documentOf([
    "Error",
    [
      ["Code", code],
      ["Message", message],
      ...(bucket === undefined ? [] : [["BucketName", bucket] as const]),
      ["RequestId", requestId],
      ["HostId", hostId]
    ]
  ])
  return { status: statuses[code], headers: { ...lengthOf(body), ...ranged, ...requested, ...xml }, body }
}

const xml = { "content-type": "application/xml" }

const lengthOf = (body: string) => ({ "content-length": String(Buffer.byteLength(body)) })

export const refuseS3 = (code: Code, bucket?: string, message?: string): Step<never> =>
  Result.fail(errorAnswer(code, bucket, message))

export const document = (root: Xml): Answer => ({
  status: 200,
  headers: { ...requested, ...xml },
  body: documentOf(root)
})

/** Without a body and a content type. */
export const bare = (status: number, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { ...requested, ...headers },
  body: ""
})

/** An object, or a part of one. */
export const bytes = (status: number, headers: Readonly<Record<string, string>>, body: Uint8Array): Answer => ({
  status,
  headers: { "content-length": String(body.length), ...ranged, ...requested, ...headers },
  body
})

/** The empty answer to an upload. */
export const stored = (headers: Readonly<Record<string, string>>): Answer => bare(200, { ...ranged, ...headers })

const jsonOf = ({ children, text }: Element): unknown =>
  children.length === 0 ? text : Object.fromEntries(children.map((_) => [_.name, jsonOf(_)]))

/**
 * The same for a client that accepts only JSON. Documents keep their XML declaration, and of elements with one
 * name only the last stays; the real service's format has the same defects, and no S3 client reads it.
 */
export const asJson = (answer: Answer): Answer => {
  const root = typeof answer.body === "string" ? parsed(answer.body) : undefined
  if (root === undefined || Result.isFailure(root)) return answer
  const body = JSON.stringify(jsonOf(root.success))
  const { "content-length": _, ...headers } = answer.headers
  const type = answer.status < 400 ? {} : { "content-type": "application/json" }
  return { ...answer, headers: { ...headers, ...type, ...lengthOf(body) }, body }
}
