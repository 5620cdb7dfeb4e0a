import { lazy, type ReactNode, Suspense } from "react"

/** Loaded beside the first page, which does not wait for it. */
const load = () => import("./ToastArea.tsx")
const ToastArea = lazy(load)

/** Says in passing that something is done. What has to be read stands on the page instead. */
export const toast = (title: string): void => void load().then((_) => _.add(title))

export const Toasts = ({ children }: { readonly children: ReactNode }) => (
  <>
    {children}
    <Suspense fallback={null}>
      <ToastArea />
    </Suspense>
  </>
)
