import { Predicate } from "effect"

/**
 * A call of a tenant to its namespace. `{ns}` stands for the namespace, `{uid}` and `{version}` for those of the object
 * that was answered last.
 */
export interface Step {
  readonly call: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** 2 unless another is given. */
  readonly tier?: 0 | 1 | 2
  /** Asked by a platform administrator. */
  readonly administrator?: true
  /** Asked again until the answer has this status, because a controller has work to do. */
  readonly until?: number
}

export const core = "/api/v1/namespaces/{ns}"
export const apps = "/apis/apps/v1/namespaces/{ns}"
export const batch = "/apis/batch/v1/namespaces/{ns}"

export const step = (call: string, body?: unknown, more: Omit<Step, "call" | "body"> = {}): Step => ({
  call,
  ...(body === undefined ? {} : { body }),
  ...more
})

export const patch = (type: string, call: string, body: unknown): Step =>
  step(`PATCH ${call}`, Predicate.isString(body) ? body : JSON.stringify(body), {
    headers: { "content-type": `application/${type}` }
  })

export const merge = (call: string, body: unknown) => patch("merge-patch+json", call, body)
export const strategic = (call: string, body: unknown) => patch("strategic-merge-patch+json", call, body)
export const json = (call: string, body: unknown) => patch("json-patch+json", call, body)
export const applied = (call: string, body: unknown) => patch("apply-patch+yaml", call, body)

export const configMap = (name: string, data: unknown = { color: "red" }) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data
})

export const containers = [{ name: "main", image: "busybox" }]
export const labels = { app: "web" }
export const template = { metadata: { labels }, spec: { containers } }

export const deployment = (name: string, more: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: { replicas: 0, selector: { matchLabels: labels }, template, ...more }
})

export const pod = (name: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  // Neither cluster schedules it.
  spec: { schedulerName: "none", containers, ...spec }
})

export const service = (name: string, spec: object) => ({ apiVersion: "v1", kind: "Service", metadata: { name }, spec })

export const claim = (name: string, storage: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...more }
})
