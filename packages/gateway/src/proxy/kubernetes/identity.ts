import type { Caller } from "@portico/contract/Access"
import type { Reach } from "@portico/domain/access/reach"
import { clusterUser, operators, platformAdmins, readers, tierGroup } from "@portico/domain/kubernetes/groups"
import { Redacted } from "effect"
import type { IncomingMessage } from "node:http"
import { forwardedHeaders } from "../headers.ts"

/** A WebSocket subprotocol in which a browser client may send a token, because it cannot set headers. */
const bearerProtocol = /^base64url\.bearer\.authorization\.k8s\.io\./i

/**
 * The client's headers without any claim of identity, plus the gateway's own token and the impersonated caller. The
 * API server's rules decide by that user and its groups.
 *
 * @returns name, value, name, value
 */
export const headersOf = (
  from: IncomingMessage,
  caller: Caller,
  reach: Reach,
  token: Redacted.Redacted
): Array<string> => {
  const headers = withoutBearerProtocol(forwardedHeaders(from.rawHeaders, from.headers.connection))
  headers.push("authorization", `Bearer ${Redacted.value(token)}`, "impersonate-user", clusterUser(caller.userId))
  for (const group of groupsOf(caller, reach)) headers.push("impersonate-group", group)
  if (caller.credentialId !== null) headers.push("impersonate-extra-portico-credential", caller.credentialId)
  return headers
}

const groupsOf = ({ tier }: Caller, reach: Reach): ReadonlyArray<string> => {
  if (reach.kind === "platform") return [platformAdmins]
  const { projectId } = reach.tenant
  return [readers(projectId), tierGroup(tier), ...(tier > 0 ? [operators(projectId)] : [])]
}

const withoutBearerProtocol = (headers: ReadonlyArray<string>): Array<string> => {
  const kept: Array<string> = []
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] ?? ""
    const value = headers[i + 1] ?? ""
    if (name.toLowerCase() !== "sec-websocket-protocol") {
      kept.push(name, value)
      continue
    }
    const protocols = value
      .split(",")
      .map((_) => _.trim())
      .filter((_) => !bearerProtocol.test(_))
    if (protocols.length > 0) kept.push(name, protocols.join(", "))
  }
  return kept
}
