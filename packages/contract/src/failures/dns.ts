import type { Applied } from "./bodies.ts"
import type { Resource } from "./Resource.ts"

/** Failures of DNS zones and records. */
export const dns = {
  Forbidden: {
    platformNamespace: {
      code: "platform_namespace",
      detail: (name: string, why: string = "it lies in the platform's own namespace, or contains it") =>
        `The zone '${name}' is refused: ${why}`,
      example: ["a.cloud.example."],
      cause:
        "The zone is one of the platform's own names, lies below one, or above one; or domains of many owners lie below it, as below `co.uk`. Reverse names are the platform's.",
      fix: "Make a zone of a domain that is yours."
    },
    zoneMasters: {
      code: "zone_masters_refused",
      /** @param master the refused one, or the most that a zone has */
      detail: (master: string | number) =>
        typeof master === "number"
          ? `A zone has at most ${master} masters`
          : `The master '${master}' is refused: a zone is transferred from IP addresses of the public internet`,
      example: ["10.0.0.1:53"],
      cause:
        "A master of a secondary zone is a name, or an address that the platform's name servers must not be led to: private, of this machine, or of its link; or the zone names more than 50.",
      fix: "Name the masters by IP addresses of the public internet, each with a port or without."
    },
    zoneFileProxied: {
      code: "zone_file_refused",
      detail:
        "Making a zone out of a zone file is refused here: make it with POST /v1/dns/zones, and read the file into it " +
        "with POST /v1/dns/zones/{zone_id}/import",
      cause: "A zone file makes a zone of any name in it, and the platform keeps names for itself.",
      fix: "Make the zone with POST /v1/dns/zones, and import the file into it."
    }
  },
  NotFound: {
    dnsZone: {
      code: "dns_zone_not_found",
      detail: (id: string) => `Zone '${id}' not found`,
      example: ["z"],
      cause: "No DNS zone has this id, or it is another tenant's.",
      fix: "Take the id from GET /v1/dns/zones."
    },
    recordset: {
      code: "recordset_not_found",
      detail: (id: string) => `Recordset '${id}' not found`,
      example: ["r"],
      cause: "The zone has no recordset with this id.",
      fix: "Take the id from GET /v1/dns/zones/{zone_id}/recordsets."
    }
  },
  Conflict: {
    recordsetReadOnly: {
      code: "recordset_read_only",
      detail: (name: string, type: string) =>
        `The ${type} records of '${name}' are read-only here: only A, AAAA, CNAME, TXT and MX records are written`,
      example: ["example.org.", "SOA"],
      cause: "The recordset is the zone's SOA or NS, or of a type that these routes do not write.",
      fix: "Leave it. Delegations, SRV, CAA and other types can be written under /v1/iaas/dns."
    },
    /** A name with a CNAME has no other records. */
    aliasBesideOthers: {
      code: "alias_beside_others",
      detail: (name: string) =>
        `'${name}' would have a CNAME beside other records; delete one of the two, or import with prune`,
      example: ["www.example.org."],
      cause:
        "After the import a name would have a CNAME and other records, which the DNS does not allow. Nothing was done.",
      fix:
        "Delete the recordset that is in the way, or import with `prune`, which removes the recordsets that the " +
        "file lacks."
    }
  },
  Unprocessable: {
    /** For a zone, or for a record in it. */
    dnsName: {
      code: "dns_name_refused",
      detail: (rule: string) => rule,
      example: ["The name 'a..b.' has an empty label"],
      cause:
        "The zone cannot hold the name, or the name can be read in two ways, most often for want of the dot at " +
        "its end.",
      fix: "Send the spelling that `detail` names."
    },
    dnsRecords: {
      code: "dns_records_refused",
      detail: (rule: string) => rule,
      example: ["an A record is an IPv4 address such as 192.0.2.1"],
      cause: "A record's data does not have the form of its type.",
      fix: "Send the form that `detail` shows; docs/tenants/dns.md has an example of each type."
    }
  },
  BadGateway: {
    /** The changes in `applied` are done; a repeat of the import continues after them. */
    zoneImport: {
      code: "zone_import_failed",
      detail: ({ at, message }: Applied) => `The import stopped at ${at}: ${message}`,
      more: ({ applied, transient }: Applied) => ({ transient, applied }),
      example: [
        {
          at: "create www.example.org. A",
          message: "designate: The service is busy",
          transient: true,
          applied: ["create example.org. MX"]
        }
      ],
      cause: "A change of the import failed; those in `applied` are done.",
      fix: "Send the same import again: it continues where it stopped."
    }
  }
} as const satisfies Resource
