import { Link } from "wouter"
import type { portico } from "../api/portico.ts"
import { Mono, Stack } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import { words } from "./words.ts"

type Removed = Awaited<ReturnType<typeof portico.orgUsers.remove>>

/** What a removed person had made and knows the secrets of. */
export const Kept = ({ removed: { integrations_kept, webhooks_kept } }: { readonly removed: Removed }) => {
  const t = useWords(words)
  const places = [...webhooks_kept.map((_) => `/webhooks/${_}`), ...integrations_kept.map((_) => `/integrations/${_}`)]
  if (places.length === 0) return null
  return (
    <Stack tight>
      <p>{t.kept}</p>
      <ul>
        {places.map((href) => (
          <li key={href}>
            <Link href={href}>
              <Mono>{href.slice(1)}</Mono>
            </Link>
          </li>
        ))}
      </ul>
    </Stack>
  )
}
