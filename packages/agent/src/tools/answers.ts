import type { Invalid } from "@portico/contract/Failures"
import { answerOf } from "../answers/answerOf.ts"
import type { ApiResponse } from "../Api.ts"
import type { Answer } from "./Tool.ts"

/** A tool's refusal of its arguments, in the form of the API's. The tool makes no call. */
export const refused = ({ code, detail }: Invalid): Answer => ({ status: 422, body: { detail, code }, failed: true })

/** The most characters of a text that is not JSON, such as a log. The end of the text is kept. */
const longestText = 40_000

/** The answer of a catch-all. In place of content that is not text, the model gets the content's type and size. */
export const proxyAnswerOf = (response: ApiResponse): Answer => {
  const { body, cut, headers, status } = response
  const type = headers["content-type"] ?? ""
  const failed = status === null || status >= 400
  if (body === "") return { status, headers, body: { status }, failed }
  if (/[/+]json\b/.test(type)) return answerOf(response)
  // A byte that is not UTF-8 became U+FFFD when the gateway read the answer.
  if (!/^text\/|[/+](json|xml|yaml)\b/.test(type) || /[\0\uFFFD]/.test(body)) {
    const size = headers["content-length"]
    const told = { content_type: type, size_bytes: size === undefined ? null : Number(size) }
    return { status, headers, body: { ...told, detail: "The content is not text, and is left out" }, failed }
  }
  return { status, headers, body: { result: body.slice(-longestText), cut: cut || body.length > longestText }, failed }
}
