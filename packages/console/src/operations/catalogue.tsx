import type { Shape } from "@portico/client/catalogue/Catalogue"
import { useQuery } from "@tanstack/react-query"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { Badge } from "../ui/Badge.tsx"
import { Row } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

/** Every operation of this plane. Undefined until it is loaded. */
export const useOperations = (): ReadonlyArray<Shape> | undefined =>
  useQuery({
    queryKey: ["operations"],
    queryFn: () => import("virtual:operations").then((_) => _.operations),
    staleTime: Infinity
  }).data

/** The prose of an operation and of its fields, by place: `body.template.image`. Undefined until it is loaded. */
export const useDescription = (operation: string) =>
  useQuery({
    queryKey: ["descriptions"],
    queryFn: () => import("virtual:descriptions").then((_) => _.descriptions),
    staleTime: Infinity
  }).data?.[operation]

export const find: Finder = async (text) => {
  const { operations } = await import("virtual:operations")
  const wanted = text.toLowerCase()
  return operations
    .filter(({ id, summary }) => `${id} ${summary}`.toLowerCase().includes(wanted))
    .slice(0, 8)
    .map(({ id, summary }) => ({
      title: `${id}: ${summary}`,
      kind: words[currentLanguage()].operation,
      href: `/operations/${id}`
    }))
}

/** What an operation needs, and what it does that one should know before. */
export const Marks = ({ shape }: { readonly shape: Shape }) => {
  const t = useWords(words)
  const { billed, destroys, open, pages, role, secret, stream, tier } = shape
  return (
    <Row>
      {tier === undefined ? null : <Badge>{t.tier(tier)}</Badge>}
      {role === undefined ? null : <Badge>{t.role(role)}</Badge>}
      {open === true ? <Badge>{t.open}</Badge> : null}
      {billed === true ? <Badge tone="warn">{t.billed}</Badge> : null}
      {destroys === true ? <Badge tone="bad">{t.destroys}</Badge> : null}
      {secret === undefined ? null : <Badge tone="warn">{secret === "new" ? t.secretNew : t.secretStored}</Badge>}
      {stream === undefined ? null : <Badge>{t.stream}</Badge>}
      {pages === true ? <Badge>{t.pages}</Badge> : null}
    </Row>
  )
}
