import { randomBytes } from "node:crypto"
import { Result } from "effect"
import { numberAt, objectAt } from "../../Json.ts"
import { toSecondsUtc } from "../../times.ts"
import type { Thing } from "../state.ts"
import { inNamespace } from "../store.ts"
import { change, make, type Pass } from "./writes.ts"

/**
 * Records an event in an object's namespace. A repeated event only increments its count. A terminating namespace
 * accepts no events.
 */
export const record = (
  pass: Pass,
  about: Thing,
  type: "Normal" | "Warning",
  reason: string,
  message: string,
  component: string = pass.operator.component
): void => {
  const { name, namespace = "", resourceVersion, uid } = about.metadata
  const at = toSecondsUtc(pass.now)
  const known = inNamespace(pass.state, "events", namespace).find(
    (_) => objectAt(_, "involvedObject")["uid"] === uid && _["reason"] === reason && _["message"] === message
  )
  if (known !== undefined) {
    const count = (numberAt(known, "count") ?? 1) + 1
    void change(pass, "events", known, { ...known, count, lastTimestamp: at })
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
  Result.getOrElse(make(pass, "events", event), () => undefined)
}
