import { type ComponentProps, lazy, Suspense } from "react"
import { Loading } from "./Loading.tsx"

const Drawn = lazy(() => import("./ChartCanvas.tsx"))

/** Curves over time. The library is loaded with the first one. */
export const Chart = (props: ComponentProps<typeof Drawn>) => (
  <Suspense fallback={<Loading />}>
    <Drawn {...props} />
  </Suspense>
)
