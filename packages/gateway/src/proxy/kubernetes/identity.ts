import type { Caller } from "@portico/contract/Access"
import type { Reach } from "@portico/domain/access/reach"
import { clusterUser, operators, platformAdmins, readers, tierGroup } from "@portico/domain/kubernetes/groups"
import { Redacted } from "effect"
import type { IncomingMessage } from "node:http"
import { forwardedHeaders } from "../headers.ts"

/** A WebSocket subprotocol in which a browser client may send a token, because it cannot set headers. */
const bearerProtocol = /^base64url\.bearer\.authorization\.k8s\.io\./i

/** As the API server spells it. */
const bearerPrefix = "base64url.bearer.authorization.k8s.io."

/**
 * The `Authorization` of a request. For a WebSocket without that header, it is the token among its subprotocols, read as
 * the API server reads it (`apiserver/pkg/authentication/request/websocket`): one, in base64url without padding, beside
 * a further subprotocol that can be agreed on. {@link headersOf} forwards none of them.
 */
export const authorizationOf = ({ headers }: IncomingMessage, upgrade: boolean): string | undefined => {
  if (headers.authorization !== undefined || !upgrade || !/^websocket$/i.test(headers.upgrade ?? ""))
    return headers.authorization
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((_) => _.trim())
  const [encoded, ...more] = offered.filter((_) => _.startsWith(bearerPrefix)).map((_) => _.slice(bearerPrefix.length))
  if (encoded === undefined || more.length > 0 || offered.every((_) => _ === "" || bearerProtocol.test(_)))
    return undefined
  return /^[\w-]+$/.test(encoded) ? `Bearer ${Buffer.from(encoded, "base64url").toString("latin1")}` : undefined
}

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
