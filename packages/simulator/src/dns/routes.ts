import { type Answer, empty, type Incoming, type Routes } from "../Wire.ts"
import { answerPacket } from "./packets.ts"

const messageType = "application/dns-message"

const answered = ({ now, world }: Incoming, message: Uint8Array): Answer => {
  const body = answerPacket(world, message, now)
  return body === undefined ? empty(400) : { status: 200, headers: { "content-type": messageType }, body }
}

/** DNS queries over HTTP, RFC 8484; UDP queries take this route too. */
export const resolverRoutes: Routes = {
  "GET /dns-query": (incoming) => answered(incoming, Buffer.from(incoming.query.get("dns") ?? "", "base64url")),
  "POST /dns-query": (incoming) =>
    incoming.headers["content-type"] === messageType ? answered(incoming, incoming.body) : empty(415)
}
