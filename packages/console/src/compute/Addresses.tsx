import { Mono, Muted, Stack } from "../ui/layout.tsx"
import { useWords } from "../words/words.ts"
import type { Server } from "./server.ts"
import { words } from "./words.ts"

/** The addresses of a server, one under the other. */
export const Addresses = ({ server }: { readonly server: Server }) => {
  const t = useWords(words)
  if (server.addresses.length === 0) return <Muted>{t.noAddress}</Muted>
  return (
    <Stack tight>
      {server.addresses.map(({ address, isFloating }) => (
        <span key={address}>
          <Mono>{address}</Mono>
          {isFloating ? <Muted small> {t.floating}</Muted> : null}
        </span>
      ))}
    </Stack>
  )
}
