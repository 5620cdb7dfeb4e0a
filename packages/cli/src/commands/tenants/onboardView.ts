import type { AdmissionRow } from "@portico/contract/Admission"
import type { Onboarded } from "@portico/contract/Tenants"
import { harmless } from "../../output/sanitize.ts"
import { columns, indented, type Style } from "../operator/lines.ts"

/** The words of the budget's dimensions, with their units. */
export const dimensionWords = {
  cores: "cores",
  ram_gib: "memory (GiB)",
  block_gib: "block storage (GiB)",
  object_gib: "object storage (GiB)",
  floating_ips: "floating IPs"
} as const

/** What remains of the sellable budget before and after one more tenant. */
export const admissionLines = (rows: ReadonlyArray<AdmissionRow>, style: Style): ReadonlyArray<string> =>
  columns(
    [
      ["", "asks for", "remains", "after", "of"],
      ...rows.map((_) => [
        dimensionWords[_.dimension],
        String(_.requested),
        String(_.remaining),
        _.remaining_after < 0 ? ([String(_.remaining_after), "red"] as const) : String(_.remaining_after),
        String(_.limit)
      ])
    ],
    style
  )

/** What a person reads of a new tenant. */
export const onboardedText = (
  { admission, credential, tenant }: Onboarded,
  secretPath: string | undefined,
  style: Style
): string => {
  const { paint } = style
  const secret =
    secretPath !== undefined
      ? `in ${harmless(secretPath)}`
      : credential.client_secret === null
        ? "was shown once, and cannot be shown again"
        : harmless(credential.client_secret)
  return [
    `${paint.bold(harmless(tenant.slug))}, tier ${tenant.tier}`,
    ...indented(
      columns(
        [
          ["project", tenant.project_id],
          ["network", tenant.network.network_id],
          ["router", tenant.network.router_id],
          ["credential", credential.id],
          ["client id", credential.client_id],
          ["client secret", secret]
        ],
        style
      )
    ),
    "Sellable budget",
    ...indented(admissionLines(admission.dimensions, style))
  ].join("\n")
}
