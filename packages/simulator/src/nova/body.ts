import type { Answer, Incoming } from "../Wire.ts"
import { badRequest, fault } from "./fault.ts"

/** The refusal of a body that is not JSON; a body that says nothing of its type is not looked at. */
export const unreadable = ({ body, headers, json }: Incoming): Answer | undefined => {
  const type = headers["content-type"]
  if (body.length === 0 || type === undefined) return undefined
  if (!/^application\/json\b/i.test(type)) return fault(415, "Unsupported Content-Type")
  return json === undefined ? badRequest("Malformed request body") : undefined
}
