/** All data of one type at one name, somewhere in the DNS. */
export interface RecordSet {
  /** Absolute, in lower case. */
  readonly name: string
  readonly type: string
  /** Seconds. */
  readonly ttl: number
  /** As a zone file writes them: `10 mail.example.org.`, `"some text"`. */
  readonly data: ReadonlyArray<string>
}

/**
 * What the rest of the internet publishes, delegations among it: an NS set at
 * the name of a zone is what its parent says of it.
 */
export interface DnsState {
  /** By name and type. */
  readonly records: Record<string, RecordSet>
}

export const dns = (): DnsState => ({ records: {} })

/** A name as it is compared: absolute, in lower case. */
export const nameOf = (text: string): string => `${text.replace(/\.$/, "")}.`.toLowerCase()

/** Whether a name is another or lies below it. */
export const isIn = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`)

/**
 * Publishes a set in place of the one that is there; no data takes it away.
 *
 * @param ttl seconds
 */
export const publish = (state: DnsState, name: string, type: string, data: ReadonlyArray<string>, ttl = 60): void => {
  const set = { name: nameOf(name), type: type.toUpperCase(), ttl, data }
  const key = `${set.name} ${set.type}`
  if (data.length === 0) delete state.records[key]
  else state.records[key] = set
}
