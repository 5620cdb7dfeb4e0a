import type { DatabaseDetail, DatabaseRecord } from "@portico/contract/Databases"
import type { QuotaUsage, Quotas } from "@portico/contract/Quotas"
import type { Frame } from "../../output/Frame.ts"
import { paragraph } from "../../output/wrap.ts"

/** What is asked for. */
export interface Size {
  readonly size_gb: number
  readonly replicas?: number | undefined
}

/** What a new database takes of what the tenant may have. */
export const reservationText = ({ replicas = 1, size_gb }: Size, { databases }: Quotas, columns: number): string => {
  const storage = size_gb * replicas
  const all = replicas === 1 ? `${size_gb} GiB` : `${storage} GiB (${replicas} instances of ${size_gb} GiB)`
  const parts = [
    useText("GiB of storage", databases.gigabytes, storage),
    useText(databases.claims.limit === 1 ? "volume" : "volumes", databases.claims, replicas)
  ].filter((_) => _ !== undefined)
  const sum = parts.length === 0 ? "" : `; all databases then use ${parts.join(" and ")}`
  return paragraph(`It takes ${all}${sum}.`, columns).join("\n")
}

const useText = (what: string, { limit, used }: QuotaUsage, more: number): string | undefined => {
  if (used === null) return undefined
  return limit < 0 ? `${used + more} ${what}` : `${used + more} of ${limit} ${what}`
}

/** A database that has been asked for, and how to see how far it is. */
export const beganText = ({ engine, name, reason, status }: DatabaseRecord, { columns }: Frame): string =>
  [
    ...paragraph(`${engine}/${name} is ${status}${reason === null ? "" : ` (${reason})`}.`, columns),
    ...paragraph("See how far it is with:", columns),
    `  portico databases show ${engine} ${name}`
  ].join("\n")

/** A database that can be used, and how. Its password is in an answer of its own. */
export const readyText = ({ endpoint, engine, name, version }: DatabaseDetail, { columns }: Frame): string =>
  [
    ...paragraph(`${engine}/${name} (version ${version}) is ready.`, columns),
    ...(endpoint === null
      ? []
      : [...paragraph("Within the cluster it is at:", columns), `  ${endpoint.host}:${endpoint.port}`]),
    ...paragraph(engine === "kafka" ? "Read how to connect with:" : "Read its user name and password with:", columns),
    `  portico databases credentials ${engine} ${name}`
  ].join("\n")
