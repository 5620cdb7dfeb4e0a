import { lazy, Suspense } from "react"
import type { ChartProps } from "./ChartCanvas.tsx"
import { Loading } from "./Loading.tsx"

const Drawn = lazy(() => import("./ChartCanvas.tsx"))

/** Curves over time. The library is loaded with the first one. */
export const Chart = (props: ChartProps) => (
  <Suspense fallback={<Loading />}>
    <Drawn {...props} />
  </Suspense>
)
