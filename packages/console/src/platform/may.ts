import { useMe } from "../app/me.ts"

/** What the person's tier lets them do on the platform: change needs tier 1, and what destroys tier 2. */
export const useMay = (): { readonly change: boolean; readonly destroy: boolean } => {
  const { tier } = useMe()
  return { change: tier >= 1, destroy: tier >= 2 }
}
