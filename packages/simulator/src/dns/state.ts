/** All data of one type at one name, anywhere in the DNS. */
export interface RecordSet {
  /** Absolute, in lower case. */
  readonly name: string
  readonly type: string
  /** Seconds. */
  readonly ttl: number
  /** In zone file syntax: `10 mail.example.org.`, `"some text"`. */
  readonly data: ReadonlyArray<string>
}

/**
 * The records of the rest of the internet, delegations included: an NS set at a zone's name is its parent's
 * delegation.
 */
export interface DnsState {
  /** By name and type. */
  readonly records: Record<string, RecordSet>
}

export const dns = (): DnsState => ({ records: {} })

/** A normalized name: absolute, in lower case. */
export const nameOf = (text: string): string => `${text.replace(/\.$/, "")}.`.toLowerCase()

/** Whether a name equals another or lies below it. */
export const isIn = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`)

/**
 * Replaces a record set; no data removes it.
 * @param ttl seconds
 */
export const publish = (state: DnsState, name: string, type: string, data: ReadonlyArray<string>, ttl = 60): void => {
  const set = { name: nameOf(name), type: type.toUpperCase(), ttl, data }
  const key = `${set.name} ${set.type}`
  if (data.length === 0) delete state.records[key]
  else state.records[key] = set
}
