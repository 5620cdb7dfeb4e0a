import { Plug } from "lucide-react"
import type { Area } from "../../app/definitions.ts"

const title = { en: "Upstreams", de: "Systeme dahinter" }

export const upstreams: Area = {
  title,
  icon: Plug,
  pages: [
    {
      path: "/upstreams",
      title,
      load: () => import("./UpstreamsPage.tsx"),
      keywords: "health ready latency errors systems"
    }
  ]
}
