import { randomBytes } from "node:crypto"
import { Result } from "effect"
import { numberAt, objectAt } from "../../Json.ts"
import type { Thing } from "../state.ts"
import { inNamespace, stamp } from "../store.ts"
import { change, make, type Turn } from "./writes.ts"

/**
 * Says in the namespace of an object what has happened to it. The same said
 * again only counts. A namespace that is going takes no more events.
 */
export const record = (
  turn: Turn,
  about: Thing,
  type: "Normal" | "Warning",
  reason: string,
  message: string,
  component: string = turn.operator.component
): void => {
  const { name, namespace = "", resourceVersion, uid } = about.metadata
  const at = stamp(turn.now)
  const known = inNamespace(turn.state, "events", namespace).find(
    (_) => objectAt(_, "involvedObject")["uid"] === uid && _["reason"] === reason && _["message"] === message
  )
  if (known !== undefined) {
    const count = (numberAt(known, "count") ?? 1) + 1
    void change(turn, "events", known, { ...known, count, lastTimestamp: at })
    return
  }
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name}.${randomBytes(8).toString("hex")}`, namespace },
    involvedObject: { kind: about.kind, namespace, name, uid, apiVersion: about.apiVersion, resourceVersion },
    reason,
    message,
    source: { component },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
    type,
    eventTime: null,
    reportingComponent: component,
    reportingInstance: ""
  }
  Result.getOrElse(make(turn, "events", event), () => undefined)
}
