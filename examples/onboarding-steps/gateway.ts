import { serve } from "@portico/gateway/serve"
import { CompanySteps } from "./steps.ts"

/** The gateway in production, with the company's steps. Beside its own settings it reads `CMDB_URL` and `CMDB_TOKEN`. */
serve({ onboarding: CompanySteps })
