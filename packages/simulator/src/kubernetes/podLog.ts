import { Result } from "effect"
import { objectAt, objectsAt, stringAt } from "../Json.ts"
import type { Answer, Step } from "../Wire.ts"
import { follow } from "./follow.ts"
import { linesOf } from "./logs.ts"
import { isOver, isRunning } from "./pods.ts"
import type { Request } from "./request.ts"
import { flag } from "./requestInfo.ts"
import type { LogLine, Thing } from "./state.ts"
import { badRequest } from "./status.ts"
import { find } from "./store.ts"
import { current } from "./update.ts"

const containerOf = (request: Request, pod: Thing): Step<string> => {
  const wanted = request.incoming.query.get("container") ?? ""
  const spec = objectAt(pod, "spec")
  const names = ["initContainers", "containers"].flatMap((field) =>
    objectsAt(spec, field).map((_) => stringAt(_, "name") ?? "")
  )
  const [only = "", ...others] = objectsAt(spec, "containers").map((_) => stringAt(_, "name") ?? "")
  const { name } = pod.metadata
  if (wanted === "" && others.length > 0) {
    return badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${[only, ...others].join(" ")}]`
    )
  }
  if (wanted === "" || names.includes(wanted)) return Result.succeed(wanted === "" ? only : wanted)
  return badRequest(`container ${wanted} is not valid for pod ${name}`)
}

/** `GET pods/log`: plain text; with `follow` also new text, until the pod is gone. */
export const podLog = (request: Request): Step<Answer> =>
  Result.gen(function* () {
    const { incoming, now, state } = request
    const { query } = incoming
    const pod = yield* current(request)
    const container = yield* containerOf(request, pod)
    const { name, namespace = "", uid } = pod.metadata
    if (!isRunning(pod) && !isOver(pod)) {
      return yield* badRequest(`container "${container}" in pod "${name}" is waiting to start: ContainerCreating`)
    }
    const stamped = flag(query, "timestamps")
    const written = (_: LogLine) =>
      `${stamped ? `${new Date(_.at).toISOString().slice(0, -1)}000000Z ` : ""}${_.text}\n`
    const all = () => linesOf(state, { namespace, pod: name, container })
    const recent = recentOf(query, all(), now)
    const headers = { "content-type": "text/plain" }
    if (!flag(query, "follow")) return { status: 200, headers, body: recent.map(written).join("") }
    let seen = all().length
    let pending = recent.map(written).join("")
    const poll = () => {
      const lines = all().slice(seen)
      seen += lines.length
      const text = pending + lines.map(written).join("")
      pending = ""
      const left = find(state, "pods", namespace, name)
      return { text, over: left?.metadata.uid !== uid }
    }
    const never = Number.MAX_SAFE_INTEGER
    return { status: 200, headers, body: "", stream: follow(incoming.world, poll, () => never) }
  })

const recentOf = (query: URLSearchParams, lines: ReadonlyArray<LogLine>, now: number): ReadonlyArray<LogLine> => {
  const seconds = query.get("sinceSeconds")
  const since = seconds === null ? 0 : now - Number(seconds) * 1000
  const young = lines.filter((_) => _.at >= since)
  const tail = query.get("tailLines")
  return tail === null ? young : Number(tail) === 0 ? [] : young.slice(-Number(tail))
}
