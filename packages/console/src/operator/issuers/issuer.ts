import { wholeOf } from "../../api/useWhole.ts"
import type { Finder } from "../../app/definitions.ts"
import { currentLanguage } from "../../preferences/preferences.ts"
import { operator } from "../portico.ts"
import { words } from "./words.ts"

export type Issuer = Awaited<ReturnType<typeof operator.workloadIssuers.list>>["issuers"][number]

export type TierText = "0" | "1" | "2"
export const tiers = { "0": 0, "1": 1, "2": 2 } as const
export const tierTexts: ReadonlyArray<TierText> = ["0", "1", "2"]

export interface IssuerDraft {
  readonly issuer: string
  readonly project: string
  readonly tier: TierText
  readonly audience: string
  readonly subjects: string
  readonly jwks: string
  readonly ca: string
  readonly enabled: boolean
}

export const noIssuer: IssuerDraft = {
  issuer: "",
  project: "",
  tier: "0",
  audience: "",
  subjects: "",
  jwks: "",
  ca: "",
  enabled: true
}

export const draftOf = (_: Issuer): IssuerDraft => ({
  issuer: _.issuer,
  project: _.project_id,
  tier: tierTexts.find((text) => tiers[text] === _.tier) ?? "0",
  audience: _.audience,
  subjects: _.subjects.join("\n"),
  jwks: _.jwks_uri ?? "",
  ca: _.ca ?? "",
  enabled: _.enabled
})

/** The fields that a registration and a change share. */
export const settingsOf = ({ audience, ca, enabled, jwks, subjects, tier }: IssuerDraft) => ({
  tier: tiers[tier],
  audience,
  subjects: subjects.split(/\s+/).filter((_) => _ !== ""),
  jwks_uri: jwks === "" ? null : jwks,
  ca: ca === "" ? null : ca,
  enabled
})

export const find: Finder = async (text) => {
  const issuers = await wholeOf(operator.workloadIssuers.list, { limit: 200 })
  return issuers
    .filter(({ issuer }) => issuer.toLowerCase().includes(text.toLowerCase()))
    .map(({ issuer, issuer_id }) => ({
      title: issuer,
      kind: words[currentLanguage()].title,
      href: `/workload-issuers?dialog=change&of=${encodeURIComponent(issuer_id)}`
    }))
}
