import { objectAt, objectsAt, parseJson, stringAt } from "../Json.ts"
import { parseQuantity } from "./quantity.ts"
import type { Thing } from "./state.ts"
import { type FieldError, invalidIf, invalidValue, notSupported, required, requiredIf, tooLong } from "./status.ts"

export const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

export const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
  "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"

/** The maximum size of a ConfigMap's or a Secret's values together, in bytes. */
const contentLimit = 1024 * 1024

const keyRule =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or " +
  "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

const keyErrors = (field: string, keys: ReadonlyArray<string>): ReadonlyArray<FieldError> =>
  keys.flatMap((key) => [
    ...invalidIf(key.length > 253, `${field}[${key}]`, key, "must be no more than 253 characters"),
    ...invalidIf(!/^[-._a-zA-Z0-9]+$/.test(key), `${field}[${key}]`, key, keyRule),
    ...invalidIf(key === ".", `${field}[${key}]`, key, "must not be '.'"),
    ...invalidIf(key.startsWith(".."), `${field}[${key}]`, key, "must not start with '..'")
  ])

const bytesIn = (base64: unknown): number => Buffer.byteLength(String(base64), "base64")

const total = (values: ReadonlyArray<number>): number => values.reduce((sum, _) => sum + _, 0)

const configMapErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const [data, binary] = [objectAt(thing, "data"), objectAt(thing, "binaryData")]
  const both = Object.keys(data).filter((_) => Object.hasOwn(binary, _))
  const texts = Object.values(data).map((_) => Buffer.byteLength(String(_)))
  const size = total([...texts, ...Object.values(binary).map(bytesIn)])
  return [
    ...keyErrors("data", Object.keys(data)),
    ...both.map((key) => invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData")),
    ...keyErrors("binaryData", Object.keys(binary)),
    ...(size > contentLimit ? [tooLong("[]", contentLimit)] : [])
  ]
}

/** The keys that a Secret of a type must have. */
const secretKeys: Readonly<Record<string, ReadonlyArray<string>>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"]
}

const accountOfToken = "kubernetes.io/service-account.name"

const secretErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const data = objectAt(thing, "data")
  const type = stringAt(thing, "type") ?? ""
  const wanted = secretKeys[type] ?? []
  const basic = ["username", "password"]
  const missing = [
    ...wanted.filter((_) => !Object.hasOwn(data, _)),
    ...(type === "kubernetes.io/basic-auth" && !basic.some((_) => Object.hasOwn(data, _)) ? basic : [])
  ]
  const malformed = wanted.filter((key) => {
    const text = Buffer.from(String(data[key] ?? ""), "base64").toString()
    return key.startsWith(".docker") && Object.hasOwn(data, key) && parseJson(text) === undefined
  })
  const isToken = type === "kubernetes.io/service-account-token"
  return [
    ...keyErrors("data", Object.keys(data)),
    ...(total(Object.values(data).map(bytesIn)) > contentLimit ? [tooLong("data", contentLimit)] : []),
    ...requiredIf(isToken && !thing.metadata.annotations?.[accountOfToken], `metadata.annotations[${accountOfToken}]`),
    ...missing.map((_) => required(`data[${_}]`)),
    ...malformed.map((_) => invalidValue(`data[${_}]`, "<secret contents redacted>", "unexpected end of JSON input"))
  ]
}

const claimErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const spec = objectAt(thing, "spec")
  const storage = objectAt(spec, "resources", "requests")["storage"]
  const isPositive = (parseQuantity(storage)?.milli ?? 0n) > 0n
  const field = "spec.resources[storage]"
  const modes = spec["accessModes"]
  return [
    ...requiredIf(
      !Array.isArray(modes) || modes.length === 0,
      "spec.accessModes",
      "at least 1 access mode is required"
    ),
    ...requiredIf(storage === undefined, field),
    ...invalidIf(storage !== undefined && !isPositive, field, storage, "must be greater than zero")
  ]
}

const isPort = (value: unknown): boolean => typeof value === "number" && value >= 1 && value <= 65_535
const portRule = "must be between 1 and 65535, inclusive"
const protocols = ["SCTP", "TCP", "UDP"]
const serviceTypes = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]

const serviceErrors = (thing: Thing): ReadonlyArray<FieldError> => {
  const spec = objectAt(thing, "spec")
  const ports = objectsAt(spec, "ports")
  const type = stringAt(spec, "type") ?? ""
  const none = ports.length === 0 && spec["clusterIP"] !== "None" && type !== "ExternalName"
  return [
    ...requiredIf(none, "spec.ports"),
    ...ports.flatMap((port, index) => {
      const field = `spec.ports[${index}]`
      const { name, protocol, targetPort } = port
      return [
        ...requiredIf(ports.length > 1 && !name, `${field}.name`),
        ...invalidIf(!isPort(port["port"]), `${field}.port`, port["port"] ?? 0, portRule),
        ...(protocols.includes(String(protocol)) ? [] : [notSupported(`${field}.protocol`, protocol, protocols)]),
        ...invalidIf(typeof targetPort === "number" && !isPort(targetPort), `${field}.targetPort`, targetPort, portRule)
      ]
    }),
    ...(serviceTypes.includes(type) ? [] : [notSupported("spec.type", type, serviceTypes)])
  ]
}

/** What must hold of configuration, storage and services. */
export const contents: Readonly<Record<string, (thing: Thing) => ReadonlyArray<FieldError>>> = {
  configmaps: configMapErrors,
  secrets: secretErrors,
  persistentvolumeclaims: claimErrors,
  services: serviceErrors
}
