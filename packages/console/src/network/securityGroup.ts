import * as v from "valibot"
import { text } from "../platform/lists.ts"

export const Rule = v.object({
  id: v.string(),
  direction: v.picklist(["ingress", "egress"]),
  ethertype: text,
  protocol: text,
  port_range_min: v.nullish(v.number(), null),
  port_range_max: v.nullish(v.number(), null),
  remote_ip_prefix: text,
  remote_group_id: text
})
export type Rule = v.InferOutput<typeof Rule>

export const SecurityGroup = v.object({
  id: v.string(),
  name: text,
  description: text,
  security_group_rules: v.optional(v.array(Rule), [])
})
export type SecurityGroup = v.InferOutput<typeof SecurityGroup>

export interface NewRule {
  readonly direction: "ingress" | "egress"
  readonly protocol: "tcp" | "udp" | "icmp" | "any"
  /** `22`, `8000-8100`, or empty for all. */
  readonly ports: string
  /** A prefix; empty for everywhere. */
  readonly prefix: string
  /** A group instead of a prefix. */
  readonly groupId: string
}

/** `8000-8100` as its ends. What is no number is sent as it is, for the service to say so. */
export const rangeOf = (ports: string): readonly [string | number, string | number] | undefined => {
  const [least = "", most = least] = ports.split("-").map((_) => _.trim())
  const numberOf = (end: string) => (/^\d+$/.test(end) ? Number(end) : end)
  return least === "" ? undefined : [numberOf(least), numberOf(most)]
}

/** The body with which the network service makes the rule. */
export const bodyOf = (securityGroupId: string, rule: NewRule): object => {
  const range = rule.protocol === "any" || rule.protocol === "icmp" ? undefined : rangeOf(rule.ports)
  return {
    security_group_rule: {
      security_group_id: securityGroupId,
      direction: rule.direction,
      ethertype: rule.prefix.includes(":") ? "IPv6" : "IPv4",
      ...(rule.protocol === "any" ? {} : { protocol: rule.protocol }),
      ...(range === undefined ? {} : { port_range_min: range[0], port_range_max: range[1] }),
      ...(rule.groupId === ""
        ? rule.prefix === ""
          ? {}
          : { remote_ip_prefix: rule.prefix }
        : { remote_group_id: rule.groupId })
    }
  }
}

/** The ports of a rule: `22`, `8000–8100`, or empty for all. */
export const portsOf = ({ port_range_max, port_range_min }: Rule): string =>
  port_range_min === null
    ? ""
    : port_range_min === port_range_max || port_range_max === null
      ? String(port_range_min)
      : `${port_range_min}–${port_range_max}`
