import { Option } from "effect"
import { regexOf } from "../jsonSchema.ts"
import { booleanOf } from "./fault.ts"
import { portsOf } from "./interfaces.ts"
import type { Request } from "./request.ts"
import type { Server } from "./state.ts"
import { statusOf } from "./view.ts"

type Keeps = (server: Server, value: string, request: Request) => boolean

interface Filter {
  readonly keeps: Keeps
  /** The first microversion at which everybody may use it; administrators always may. */
  readonly since?: number
}

/** A regular expression over a column, as MySQL compares: without regard to case. */
const pattern =
  (column: (server: Server) => string | null | undefined): Keeps =>
  (server, value) =>
    Option.exists(regexOf(value), (_) => _.test(column(server) ?? ""))

const exact =
  (column: (server: Server) => string | null | undefined): Keeps =>
  (server, value) =>
    column(server) === value

/** By a part of an address, for Neutron has the extension `ip-substring-filtering`. */
const address: Keeps = (server, value, { world }) =>
  portsOf(world, server).some((port) => port.fixed_ips.some((_) => _.ip_address.includes(value)))

/** A time without a zone is in UTC. */
const millisOf = (text: string): number => {
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text.slice(10)) || text.length <= 10 ? text : `${text}Z`
  return Date.parse(zoned.replace(" ", "T"))
}

const tags =
  (test: (has: (tag: string) => boolean, wanted: ReadonlyArray<string>) => boolean): Keeps =>
  (server, value) =>
    test((tag) => server.tags?.includes(tag) === true, value.split(","))

/** The search options of a list of servers. Callers that may not use one get the list without it. */
const filters: Readonly<Record<string, Filter>> = {
  name: { keeps: pattern((_) => _.name) },
  flavor: { keeps: exact((_) => _.flavor_id) },
  image: { keeps: exact((_) => _.image_id) },
  ip: { keeps: address },
  ip6: { keeps: address, since: 5 },
  reservation_id: { keeps: pattern((_) => _.reservation_id) },
  "changes-since": { keeps: (server, value) => server.updated_at >= millisOf(value) },
  "changes-before": { keeps: (server, value) => server.updated_at <= millisOf(value), since: 66 },
  tags: { keeps: tags((has, wanted) => wanted.every(has)), since: 26 },
  "tags-any": { keeps: tags((has, wanted) => wanted.some(has)), since: 26 },
  "not-tags": { keeps: tags((has, wanted) => !wanted.every(has)), since: 26 },
  "not-tags-any": { keeps: tags((has, wanted) => !wanted.some(has)), since: 26 },
  locked: { keeps: (server, value) => booleanOf(value) === (server.locked_by !== null), since: 73 },
  availability_zone: { keeps: pattern((_) => _.availability_zone), since: 83 },
  key_name: { keeps: pattern((_) => _.key_name), since: 83 },
  user_id: { keeps: exact((_) => _.user_id), since: 83 },
  vm_state: { keeps: exact((_) => _.vm_state), since: 83 },
  task_state: { keeps: exact((_) => _.task_state), since: 83 },
  uuid: { keeps: exact((_) => _.id), since: Infinity },
  description: { keeps: pattern((_) => _.description), since: Infinity }
}

/** Whether a server is in the list that the query asks for. */
export const matches = (request: Request, server: Server): boolean => {
  const { minor, query, scope } = request
  const statuses = query.getAll("status").map((_) => _.toUpperCase())
  return (
    (statuses.length === 0 || statuses.includes(statusOf(server))) &&
    Object.entries(filters).every(([name, { keeps, since = 0 }]) => {
      const value = query.getAll(name).at(-1)
      return value === undefined || (!scope.admin && minor < since) || keeps(server, value, request)
    })
  )
}

/** The servers that a list is about: by time of change also those whose deletion is done. */
export const listed = ({ minor, query, world: { nova } }: Request): ReadonlyArray<Server> =>
  query.has("changes-since") || (minor >= 66 && query.has("changes-before"))
    ? [...Object.values(nova.servers), ...Object.values(nova.deletedServers)]
    : Object.values(nova.servers)
