import { useEffect } from "react"
import type { Pages } from "../../api/useAnswer.ts"

/** Loads the rest of a list while something is looked for that the server does not filter by. */
export const useWhole = <Output>({ hasMore, loadingMore, more }: Pages<Output>, wanted: boolean): void => {
  useEffect(() => {
    if (wanted && hasMore && !loadingMore) more()
  }, [wanted, hasMore, loadingMore, more])
}
