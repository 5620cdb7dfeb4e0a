import { type Matched, router } from "../Wire.ts"
import { rgwRoutes } from "./routes.ts"
import { s3Router } from "./s3/routes.ts"

const administration = router(rgwRoutes)

/** The admin API has its own entry, and everything else is S3: a bucket of that name nobody can reach. */
export const rgwRouter = (method: string, path: string): Matched | undefined =>
  path === "/admin" || path.startsWith("/admin/") ? administration(method, path) : s3Router(path)
