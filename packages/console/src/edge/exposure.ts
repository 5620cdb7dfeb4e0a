import type { portico } from "../api/portico.ts"

export type Exposure = Awaited<ReturnType<typeof portico.edge.show>>

/** Where the requests go, as one reads it. */
export const targetOf = ({ target: { address, port, service } }: Exposure): string =>
  `${service ?? (address?.includes(":") === true ? `[${address}]` : (address ?? ""))}:${port}`
